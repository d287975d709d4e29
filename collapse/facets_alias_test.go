package collapse_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// The terms of a facet of an alias are the most frequent of all its documents, with all that they count, though members
// are asked for as many terms. (bleve alone shows the terms of the member that answers first.)
func TestFacetsOfAlias(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 5))
	docs, counts := map[string]page{}, map[string]int{}
	for i := range 600 {
		p := page{Body: fmt.Sprintf("common text %d of %d", rnd.Uint32(), rnd.Uint32()), Project: fmt.Sprint("p", min(rnd.IntN(40), rnd.IntN(40)))}
		docs[fmt.Sprint(i)] = p
		counts[p.Project]++
	}
	var want []search.TermFacet
	for term, n := range counts {
		want = append(want, search.TermFacet{Term: term, Count: n})
	}
	slices.SortFunc(want, func(a, b search.TermFacet) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Term, b.Term))
	})
	_, alias := shardsOf(t, 4, "", docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for _, by := range []string{"-_score", "version"} {
		for _, o := range []collapse.Options{{}, {Whole: true}, {Complete: true}} {
			r := bleve.NewSearchRequest(match)
			r.SortBy([]string{by})
			r.AddFacet("projects", bleve.NewFacetRequest("project", 5))
			res, err := collapse.Search(t.Context(), alias, r, o)
			if err != nil {
				t.Fatal(err)
			}
			rest := len(docs)
			for i, term := range res.Facets["projects"].Terms.Terms() {
				if rest -= term.Count; *term != want[i] {
					t.Errorf("%s, %+v: term %d is %v, want %v", by, o, i, *term, want[i])
				}
			}
			if f := res.Facets["projects"]; f.Total != len(docs) || f.Terms.Len() != 5 || f.Other != rest || r.Facets["projects"].Size != 5 {
				t.Errorf("%s, %+v: got %+v of %v", by, o, f, r.Facets["projects"])
			}
		}
	}
}
