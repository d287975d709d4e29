// Package join finds all pairs of sets that resemble each other, exactly: the truth that
// measurements compare with.
package join

import (
	"cmp"
	"math"
	"slices"
)

// Pair is two sets by their numbers, A below B.
type Pair struct{ A, B int32 }

// Of returns the pair of two sets, given in either order.
func Of(a, b int32) Pair { return Pair{min(a, b), max(a, b)} }

// Resemblance is the share of the elements of two sorted sets, not both empty, that both have.
func Resemblance(a, b []uint64) float64 {
	both, x, y := 0, a, b
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			both++
			x, y = x[1:], y[1:]
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// Pairs returns the resemblance of every pair of sets, each sorted, that is at least r, above 0
// and at most 1. An empty set resembles none. It calls progress with 1 after each set.
//
// Comparing all pairs of 30,000 sets would take hours. If all sets are brought into
// one order of their elements, rarest first, then two sets A and B of resemblance r
// have an element in common among the first |A| - ceil(r|A|) + 1 of A and as many
// of B: else they could not share enough of the rest (prefix filtering: Chaudhuri,
// Ganti, Kaushik, ICDE 2006). So only pairs that share one of these are compared,
// and of them none whose sizes are too far apart. Nothing is missed.
func Pairs(sets [][]uint64, r float64, progress func(n int)) map[Pair]float64 {
	frequency := make(map[uint64]int32)
	for _, s := range sets {
		for _, e := range s {
			frequency[e]++
		}
	}
	found := make(map[Pair]float64)
	index := make(map[uint64][]int32) // sets by the elements of their prefixes
	seen := make([]int32, len(sets))  // 1 + the last set that it was compared with
	var prefix []uint64
	for i, s := range sets {
		prefix = append(prefix[:0], s...)
		slices.SortFunc(prefix, func(a, b uint64) int {
			return cmp.Or(cmp.Compare(frequency[a], frequency[b]), cmp.Compare(a, b))
		})
		// The least margin keeps r|A| from being rounded up past a whole number.
		prefix = prefix[:min(len(s), len(s)-int(math.Ceil(r*float64(len(s))-1e-9))+1)]
		for _, e := range prefix {
			if frequency[e] == 1 {
				continue
			}
			for _, j := range index[e] {
				if seen[j] == int32(i+1) {
					continue
				}
				seen[j] = int32(i + 1)
				least, most := min(len(s), len(sets[j])), max(len(s), len(sets[j]))
				if float64(least) < r*float64(most)-1e-9 {
					continue
				}
				if exact := Resemblance(s, sets[j]); exact >= r {
					found[Pair{j, int32(i)}] = exact
				}
			}
			index[e] = append(index[e], int32(i))
		}
		progress(1)
	}
	return found
}
