package collapse_test

import (
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// All works on bleve's own result and on none. TestSearch has it of all others.
func TestAll(t *testing.T) {
	t.Parallel()
	index := newIndex(t, families(rand.New(rand.NewPCG(101, 102)), 80, 30))
	plain, err := index.Search(bleve.NewSearchRequest(bleve.NewMatchAllQuery()))
	if err != nil {
		t.Fatal(err)
	}
	checkAll(t, "bleve's own", &collapse.Result{SearchResult: plain})
	for range new(collapse.Result).All() {
		t.Error("an empty result has a hit")
	}
	for range (&collapse.Result{SearchResult: plain}).All() {
		break // which is allowed
	}
}

// checkAll compares the places of hits with loops over all groups.
func checkAll(t *testing.T, name string, res *collapse.Result) {
	t.Helper()
	n := 0
	for hit, place := range res.All() {
		if hit != res.Hits[n] {
			t.Fatalf("%s: hit %d is %s, want %s", name, n, hit.ID, res.Hits[n].ID)
		}
		n++
		own, under := 0, ""
		for _, groups := range [][]collapse.Group{res.Groups, res.Earlier} {
			for _, g := range groups {
				if g.Head.ID == hit.ID {
					own = len(g.Members)
				}
				for _, m := range g.Members {
					if m.ID == hit.ID {
						under = g.Head.ID
					}
				}
			}
		}
		if under != "" {
			if place.Copy == nil || place.Copy.ID != hit.ID || place.Group.Head.ID != under || place.Copies != nil {
				t.Errorf("%s: %s is a copy of %s: got %+v", name, hit.ID, under, place)
			}
		} else if place.Copy != nil || place.Group.Head.ID != hit.ID || len(place.Copies) != own {
			t.Errorf("%s: %s is a head of %d copies: got %+v", name, hit.ID, own, place)
		}
	}
	if n != len(res.Hits) {
		t.Errorf("%s: %d of %d hits", name, n, len(res.Hits))
	}
}
