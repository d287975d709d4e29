package collapse_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// A page by a key begins with the next hit that the caller keeps, however many others stand
// between; beyond the budget that is an error, not an empty page.
func TestKeysOfKept(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	var all []string
	for i := range 100 {
		id := fmt.Sprintf("o%03d", i)
		docs[id], all = page{Body: fmt.Sprint("offer ", i, " of shop ", 7*i)}, append(all, id)
	}
	x := newIndex(t, docs)
	for _, kept := range [][]string{
		{"o003", "o010", "o011", "o012", "o040", "o099"},
		{"o000", "o050"},
		{},
	} {
		o := collapse.Options{Filter: collapse.Filter{Keep: func(hit *search.DocumentMatch) bool { return slices.Contains(kept, hit.ID) }}}
		for _, key := range []string{"o000", "o003", "o009", "o011", "o030", "o050", "o098", "o099"} {
			for _, before := range []bool{false, true} {
				r := byID(bleve.NewMatchAllQuery())
				r.Size = 2
				var want []string
				for _, id := range kept {
					if before && id < key || !before && id > key {
						want = append(want, id)
					}
				}
				if before {
					r.SearchBefore = []string{key}
					want = want[max(0, len(want)-2):]
				} else {
					r.SearchAfter = []string{key}
					want = want[:min(2, len(want))]
				}
				res, err := collapse.Search(t.Context(), x, r, o)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, hit := range res.Hits {
					got = append(got, hit.ID)
				}
				if !slices.Equal(got, want) {
					t.Errorf("kept %q, key %s, before: %v: got %q, want %q", kept, key, before, got, want)
				}
			}
		}
	}
	r := byID(bleve.NewMatchAllQuery())
	r.SearchAfter = []string{all[0]}
	last := collapse.Options{Budget: 20, Filter: collapse.Filter{Keep: func(hit *search.DocumentMatch) bool { return hit.ID == all[99] }}}
	if res, err := collapse.Search(t.Context(), x, r, last); !errors.Is(err, collapse.ErrTooMany) {
		t.Errorf("beyond the budget: got %v, %v", res, err)
	}
}
