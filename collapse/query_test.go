package collapse_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/upsidedown"

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
