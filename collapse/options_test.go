package collapse_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/serve"
)

// unsigned adds to some of families documents without a signature, and ones with that
// of an empty text.
func unsigned(seed uint64) map[string]page {
	rnd := rand.New(rand.NewPCG(seed, seed))
	docs := families(rnd, size(150, 70), size(100, 60))
	for i := range size(40, 20) {
		docs[fmt.Sprintf("d%05d", rnd.IntN(100000))] = page{Body: []string{"", "..."}[i%2], Version: float64(rnd.IntN(4)), Project: "bare"}
	}
	return docs
}

// Without options to collapse by, a request is byte for byte answered by bleve.
func TestPlain(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(12))
	request := func() *bleve.SearchRequest {
		r := bleve.NewSearchRequest(bleve.NewMatchQuery("common"))
		r.Fields = []string{"*"}
		r.Highlight = bleve.NewHighlight()
		r.SortBy([]string{"-version", "_id"})
		r.SearchAfter = []string{"2", "d5"}
		r.AddFacet("project", bleve.NewFacetRequest("project", 5))
		return r
	}
	want, err := index.Search(request())
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&serve.Request{SearchRequest: request()}).Search(context.Background(), index)
	if err != nil {
		t.Fatal(err)
	}
	got.Took, got.Cost = want.Took, want.Cost // of a second search, with what the first read
	a, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%d bytes differ from bleve's %d", len(a), len(b))
	}
}
