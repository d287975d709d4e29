package collapse_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

func TestWholeLimits(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(32))
	request := func() *bleve.SearchRequest { return bleve.NewSearchRequest(bleve.NewMatchAllQuery()) }
	if _, err := collapse.Search(context.Background(), index, request(), collapse.Options{Whole: true, Budget: 50}); !errors.Is(err, collapse.ErrTooMany) {
		t.Errorf("beyond the budget: got error %v", err)
	}
	for _, tt := range []struct {
		x    bleve.Index
		o    collapse.Options
		want string
	}{
		{index, collapse.Options{Whole: true, Cursor: &collapse.Cursor{}}, "whole cannot be combined with a cursor"},
		{index, collapse.Options{Whole: true, Rule: signature.Rule{Lanes: 200}}, "as many as its sketches have"},
		{remotely(index), collapse.Options{Whole: true}, "whole needs a local index or an alias of local ones"},
		{bleve.NewIndexAlias(index, remotely(index)), collapse.Options{Whole: true}, "whole needs a local index"},
	} {
		if _, err := collapse.Search(context.Background(), tt.x, request(), tt.o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want one with %q", err, tt.want)
		}
	}
}
