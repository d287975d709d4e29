package collapse_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// All works on a result that was read from JSON, on bleve's own and on none. TestSearch has it of all others.
func TestAll(t *testing.T) {
	t.Parallel()
	index := newIndex(t, families(rand.New(rand.NewPCG(101, 102)), 80, 30))
	copies := 0
	for _, o := range []collapse.Options{{}, {Visible: -1}, {Whole: true, Visible: 2}} {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 30, 9, false)
		r.SortBy([]string{"-version"})
		res, err := collapse.Search(t.Context(), index, r, o)
		if err != nil {
			t.Fatal(err)
		}
		read := new(collapse.Result)
		if err := json.Unmarshal(mustJSON(t, res), read); err != nil {
			t.Fatal(err)
		}
		copies += checkAll(t, fmt.Sprintf("%+v, of JSON", o), read)
	}
	if copies == 0 {
		t.Error("no copy is shown: this test shows little")
	}
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

// checkAll compares the places of hits with loops over all groups, and returns how many of the
// hits are copies.
func checkAll(t *testing.T, name string, res *collapse.Result) (copies int) {
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
			copies++
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
	return copies
}
