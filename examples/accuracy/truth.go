package main

import (
	"cmp"
	"math"
	"slices"
)

// shared is the number of elements that two sorted sets have in common.
func shared(a, b []uint64) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// jaccard is the resemblance of two sorted sets, not both empty.
func jaccard(a, b []uint64) float64 {
	both := shared(a, b)
	return float64(both) / float64(len(a)+len(b)-both)
}

// couple is two documents by their numbers, the lower one first.
type couple struct{ a, b int32 }

// similar returns the exact resemblance of every pair of sets, each sorted, that
// is at least r.
//
// Comparing all pairs of 30,000 sets would take hours. If all sets are brought into
// one order of their elements, rarest first, then two sets A and B of resemblance r
// have an element in common among the first |A| - ceil(r|A|) + 1 of A and as many
// of B: else they could not share enough of the rest (prefix filtering: Chaudhuri,
// Ganti, Kaushik, ICDE 2006). So only pairs that share one of these are compared,
// and of them none whose sizes are too far apart. Nothing is missed.
func similar(sets [][]uint64, r float64) map[couple]float64 {
	frequency := make(map[uint64]int32)
	for _, s := range sets {
		for _, e := range s {
			frequency[e]++
		}
	}
	found := make(map[couple]float64)
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
				if exact := jaccard(s, sets[j]); exact >= r {
					found[couple{j, int32(i)}] = exact
				}
			}
			index[e] = append(index[e], int32(i))
		}
	}
	return found
}
