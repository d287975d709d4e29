package join

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPairs compares all pairs of sets.
func TestPairs(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(2, 2))
	var sets [][]uint64
	for range 300 {
		set := make(map[uint64]bool)
		from := rnd.Uint64N(40)
		for range 1 + rnd.IntN(12) {
			set[from+rnd.Uint64N(10)] = true
		}
		var s []uint64
		for e := range set {
			s = append(s, e)
		}
		slices.Sort(s)
		sets = append(sets, s)
	}
	for _, r := range []float64{.3, .5, .6, .75, .8, 1} {
		found, want := Pairs(sets, r, func(int) {}), 0
		for b := range sets {
			for a := range b {
				both := 0
				for _, e := range sets[a] {
					if slices.Contains(sets[b], e) {
						both++
					}
				}
				exact := float64(both) / float64(len(sets[a])+len(sets[b])-both)
				if exact < r {
					continue
				}
				want++
				if got := Resemblance(sets[a], sets[b]); got != exact {
					t.Errorf("%v and %v: got %v, want %v", sets[a], sets[b], got, exact)
				}
				if got := found[Pair{int32(a), int32(b)}]; got != exact {
					t.Errorf("r = %v: %v and %v: got %v, want %v", r, sets[a], sets[b], got, exact)
				}
			}
		}
		if len(found) != want {
			t.Errorf("r = %v: found %d pairs, want %d", r, len(found), want)
		}
	}
}
