package paging

import (
	"fmt"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// What one index says of more ids than a search names is put together again.
func TestAmong(t *testing.T) {
	t.Parallel()
	x, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	batch := x.NewBatch()
	var ids []string
	for i := range 2*ranking.MostIDs + 10 {
		id := fmt.Sprintf("%06d", i)
		if ids = append(ids, id); i%(ranking.MostIDs/10) == 0 {
			if err := batch.Index(id, map[string]any{"kind": fmt.Sprint("kind", i%3)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := batch.Index("another", map[string]any{"kind": "kind0"}); err != nil {
		t.Fatal(err)
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	for want, of := range map[int][]string{21: ids, 10: ids[:ranking.MostIDs], 11: ids[:ranking.MostIDs+1], 1: ids[:1], 0: nil} {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 0, 0, false)
		r.AddFacet("kinds", bleve.NewFacetRequest("kind", 5))
		res, err := bleve.NewIndexAlias(among{x, of}, among{x, nil}).Search(r)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, term := range res.Facets["kinds"].Terms.Terms() {
			sum += term.Count
		}
		if res.Total != uint64(want) || sum != want || res.Facets["kinds"].Total != want || res.Status.Total != 2 || res.Status.Successful != 2 {
			t.Errorf("%d ids: got %d matches, facet of %d, status %+v; want %d", len(of), res.Total, sum, res.Status, want)
		}
	}
}
