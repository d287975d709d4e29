package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// CollapsedTotal counts what all pages show if the search saw all hits, and otherwise all matches,
// from the first page to the last.
func TestCollapsedTotal(t *testing.T) {
	t.Parallel()
	var asked, exact, other atomic.Int64
	t.Cleanup(func() {
		if exact.Load() < 20 || other.Load() < 20 {
			t.Errorf("%d totals are of what is shown, %d of all matches: too few for a test", exact.Load(), other.Load())
		}
	})
	docs := fieldDocs(25, 30)
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = newMappedIndex(t, withFields(newMapping("")), docs)
	for name, x := range all {
		for n := range 6 {
			o := drawOptions(rand.New(rand.NewPCG(uint64(n), 26)))
			o.Demote = n == 5
			t.Run(fmt.Sprint(name, " ", asText(o)), func(t *testing.T) {
				t.Parallel()
				r := byID(bleve.NewMatchAllQuery())
				truth := oracle(t, x, r, o)
				o := o
				o.CollapsedTotal = true
				for r.Size = 9; ; r.From += r.Size {
					res, err := collapse.Search(t.Context(), x, r, o)
					if err != nil {
						t.Fatal(err)
					}
					want := truth.total
					if res.TotalGroupsRelation == bleve.TotalRelationEq && !o.Demote {
						want = uint64(len(truth.shown))
						exact.Add(1)
					} else {
						other.Add(1)
					}
					if res.Total != want {
						t.Fatalf("page at %d: total %d, wanted %d (%d groups %s)", r.From, res.Total, want, res.TotalGroups, res.TotalGroupsRelation)
					}
					if len(res.Hits) < r.Size {
						return
					}
				}
			})
		}
	}
}
