package collapse_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// The numbers of a cursor, which are added up, are not taken for what they cannot be.
func TestCursorNumbers(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}, "b": {Body: "another quick fox"}})
	for _, tt := range []struct {
		c    collapse.Cursor
		want error
	}{
		{collapse.Cursor{Taken: math.MaxInt}, collapse.ErrRequest},
		{collapse.Cursor{Taken: math.MaxInt - 20, After: []string{"1", "a"}}, collapse.ErrRequest},
		{collapse.Cursor{Taken: indexes.MostHits + 1}, collapse.ErrRequest},
		{collapse.Cursor{Taken: indexes.MostHits}, nil},
		{collapse.Cursor{Taken: -1}, collapse.ErrRequest},
		{collapse.Cursor{Taken: indexes.MostHits, After: []string{"1", "a"}, Left: math.MaxUint64}, nil},
		{collapse.Cursor{Taken: 1, After: []string{"0.5", "a"}, Left: math.MaxUint64}, nil},
		{collapse.Cursor{Taken: 1, After: []string{"-Inf", "a"}}, nil},
		{collapse.Cursor{Taken: 1, After: []string{"NaN", "a"}}, collapse.ErrRequest},
		{collapse.Cursor{Taken: 1, After: []string{"", "a"}}, collapse.ErrRequest},
	} {
		t.Run(fmt.Sprintf("%+v", tt.c), func(t *testing.T) {
			t.Parallel()
			r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
			if _, err := collapse.Search(t.Context(), index, r, collapse.Options{Cursor: &tt.c}); !errors.Is(err, tt.want) {
				t.Errorf("got error %v, want %v", err, tt.want)
			}
		})
	}
}
