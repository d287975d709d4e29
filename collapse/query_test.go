package collapse_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/upsidedown"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// On an index of scorch, signatures are read from the documents; on another there is no whole form.
func TestQueryOnAnyIndex(t *testing.T) {
	t.Parallel()
	sig := signature.Of(signature.DefaultParams(), []byte(sentence))
	text, err := sig.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]any{"a": string(text), "b": string(text), "c": string(text[:99]), "d": nil}
	index, older := stored(t, scorch.Name, docs), stored(t, upsidedown.Name, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	r := bleve.NewSearchRequest(collapse.NewQuery(match, collapse.Options{}))
	r.SortBy([]string{"_id"})
	res, err := index.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Total != 3 || res.Hits[0].ID != "a" || res.Hits[1].ID != "c" || res.Hits[2].ID != "d" {
		t.Errorf("got %v", res)
	}
	const want = `whole: wanted an index of type "neardup" or "scorch", got a *upsidedown.IndexReader: leave out whole`
	for name, x := range map[string]bleve.Index{"alone": older, "alias": bleve.NewIndexAlias(index, older)} {
		_, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true})
		if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", name, err, want)
		}
	}
}

func TestQueryErrors(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(23))
	match := bleve.NewMatchQuery("common")
	for _, tt := range []struct {
		q    *collapse.Query
		is   error
		want string
	}{
		{collapse.NewQuery(nil, collapse.Options{}), collapse.ErrRequest, "wanted a query to collapse, got none"},
		{collapse.NewQuery(match, collapse.Options{Missing: "lose"}), collapse.ErrRequest, `missing: wanted "keep", "drop" or "group", got "lose"`},
		{collapse.NewQuery(match, collapse.Options{Budget: -1}), collapse.ErrRequest, "budget: wanted 0 or more, got -1"},
		{collapse.NewQuery(match, collapse.Options{Complete: true}), collapse.ErrRequest, "explain and a cursor need a Search"},
		{collapse.NewQuery(match, collapse.Options{Filter: match}), collapse.ErrRequest, "query: filter, complete"},
		{collapse.NewQuery(match, collapse.Options{Head: search.SortOrder{nil}}), collapse.ErrRequest, "head: wanted sort fields, got nil"},
		{collapse.NewQuery(match, collapse.Options{Rule: signature.Rule{Lanes: 101}}), collapse.ErrRequest, "as many as its sketches have"},
		{collapse.NewQuery(match, collapse.Options{Budget: 10}), collapse.ErrTooMany, "wanted at most 10 matches, got more"},
	} {
		_, err := index.Search(bleve.NewSearchRequest(tt.q))
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want one with %q", err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := index.SearchInContext(ctx, bleve.NewSearchRequest(collapse.NewQuery(match, collapse.Options{}))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
