package table_test

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// Two signatures that meet the rule share a key of Append, and a band or a block, for every
// exact plan.
func TestKeys(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(71, 72))
	met := 0
	for range 60 {
		rule, all := mixed(rnd, []int{16, 17, 64, 100}, []int{-1, 0, 1, 3, 5, 6, 11, 20}, 60)
		plan := table.Plan{}
		if rule.Bits() <= 3 {
			plan.Tables = []int{0, 10, 16, 20}[rnd.IntN(4)]
		}
		k := all[3].Lanes
		keys := plan.Keys(rule, k)
		if scans := rule.Bits() > 5 && rule.Mode != signature.SketchOnly && rule.Mode != signature.Both && rule.Mode != signature.ExactOnly; keys.Complete() == scans {
			t.Fatalf("%+v: complete is %v", rule, keys.Complete())
		}
		for i, a := range all {
			for _, b := range all[:i] {
				if a == nil || b == nil || !neartest.Duplicates(rule, a, b) || a.Lanes != k && a.Lanes != 0 || b.Lanes != k && b.Lanes != 0 {
					continue
				}
				met++
				own, others := keys.Append(nil, a), keys.Append(nil, b)
				if keys.Complete() && !slices.ContainsFunc(own, func(key uint64) bool { return slices.Contains(others, key) }) {
					t.Fatalf("%+v, %+v: no key is shared by\n%+v\n%+v", plan, rule, a, b)
				}
				if a.Exact != b.Exact && !shareKind(keys, rule, a, b) {
					t.Fatalf("%+v: no band or block is shared by\n%+v\n%+v", rule, a, b)
				}
			}
		}
	}
	if met < 800 {
		t.Errorf("%d pairs met their rule: this test shows little", met)
	}
}

// shareKind reports whether two share a band, or are near within a block.
func shareKind(keys *table.Keys, rule signature.Rule, a, b *signature.Signature) bool {
	for n := 1; n < keys.Kinds(); n++ {
		key, ok := keys.Kind(n, a)
		other, also := keys.Kind(n, b)
		if ok && also && (key^other)>>(64-keys.Width(n)) == 0 && (n <= keys.Bands() || bits.OnesCount64(key^other) <= rule.Bits()) {
			return true
		}
	}
	return false
}

// Sets in which equal texts are joined, and that get all signatures as one bucket, join the
// same as comparing all pairs does.
func TestSets(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(73, 74))
	for range 40 {
		rule, all := mixed(rnd, []int{64, 100}, []int{0}, rnd.IntN(150))
		rule.Mode = signature.SketchOnly
		parent := make([]uint32, len(all))
		var members []uint32
		for i := range all {
			parent[i] = uint32(i)
			if all[i] != nil {
				members = append(members, uint32(i))
			}
		}
		s := table.NewSets(rule, parent)
		exact := map[[2]uint64]uint32{}
		for _, i := range members {
			if key := [2]uint64{uint64(all[i].Params), all[i].Exact}; rule.Long(all[i]) {
				if first, ok := exact[key]; ok {
					s.Join(first, i)
				} else {
					exact[key] = i
				}
			}
		}
		if err := s.JoinBand(context.Background(), members, in(all)); err != nil {
			t.Fatal(err)
		}
		for i, want := range newOracle(t, rule, all, nil).components(func(int, int) bool { return true }) {
			if got := s.Of(uint32(i)); got != want {
				t.Fatalf("%+v: %d is of %d, want %d", rule, i, got, want)
			}
		}
	}
}
