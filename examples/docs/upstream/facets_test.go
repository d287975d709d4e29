package upstream

import (
	"testing"

	"github.com/blevesearch/bleve/v2/search"
)

func TestFacetsOfAlias(t *testing.T) {
	t.Parallel()
	of := func(counts ...*search.TermFacet) *search.FacetResult {
		r := &search.FacetResult{Terms: &search.TermFacets{}}
		r.Terms.Add(counts...)
		r.Terms.TrimToTopN(1) // as a member answers
		return r
	}
	a := func() *search.FacetResult {
		return of(&search.TermFacet{Term: "a", Count: 3}, &search.TermFacet{Term: "b", Count: 2})
	}
	b := func() *search.FacetResult { return of(&search.TermFacet{Term: "b", Count: 3}) }
	first, second := a(), b()
	first.Merge(b())
	second.Merge(a())
	if n, m := first.Terms.Len(), second.Terms.Len(); n != 1 || m != 2 {
		t.Errorf("bleve has changed: %d terms and %d, were 1 and 2", n, m)
	}
}
