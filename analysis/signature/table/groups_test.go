package table_test

import (
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// First finds each group of the near-duplicates of a signature that has one that counts, and no other document.
func TestFirst(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(31, 32))
	pairs, asked := 0, 0
	for range fewer(60) {
		rule, all := mixed(rnd, []int{64, 100}, []int{-1, 0, 3, 5}, 40+rnd.IntN(200))
		scopes, groups, counts := someScopes(rnd, len(all)), make([]uint64, len(all)), make([]bool, len(all))
		c := table.NewColumn(len(all))
		for i, s := range all {
			c.Set(i, s)
			groups[i], counts[i] = uint64(rnd.IntN(4)), rnd.IntN(3) > 0
		}
		f := table.Freeze(c, rule, table.Plan{}, scopes)
		f.Sort(groups)
		for n, s := range all {
			if s == nil {
				continue
			}
			scope := uint64(0)
			if scopes != nil {
				scope = scopes[n]
			}
			want, got := map[uint64]bool{}, map[uint64]bool{}
			near := func(i int) bool {
				return all[i] != nil && (scopes == nil || scopes[i] == scope) && neartest.Duplicates(rule, all[i], s)
			}
			for i := range all {
				if counts[i] && groups[i] > 0 && near(i) {
					want[groups[i]] = true
					pairs++
				}
			}
			var p table.Probe
			p.Prepare(rule, table.Plan{}, s, scope)
			table.First([]*table.Frozen{f}, &p, func(_, i int) bool {
				if !near(i) || groups[i] == 0 || f.Group(i) != groups[i] {
					t.Fatalf("it yields %d of group %d for %d", i, groups[i], n)
				}
				asked++
				got[groups[i]] = got[groups[i]] || counts[i]
				return counts[i]
			})
			for g := range uint64(4) {
				if want[g] != got[g] {
					t.Fatalf("%+v: groups of %d: got %v, want %v", rule, n, got, want)
				}
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("%d pairs, %d asked: this test shows little", pairs, asked)
	}
}
