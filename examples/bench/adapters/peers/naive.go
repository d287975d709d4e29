package main

import (
	"slices"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// naive compares the shingles of each document with those of every other: the truth, at the greatest cost.
func naive(docs []lines.Document, threshold float64, w lines.Writer) error {
	numbers := map[string]int{} // of shingles, in the order in which they come
	sets := make([][]int, len(docs))
	var t lines.Text
	for i, d := range docs {
		t.Read(d.Text)
		t.Runs(4, func(run []byte) {
			n, ok := numbers[string(run)]
			if !ok {
				n = len(numbers)
				numbers[string(run)] = n
			}
			sets[i] = append(sets[i], n)
		})
		slices.Sort(sets[i])
		sets[i] = slices.Compact(sets[i])
		for j, set := range sets[:i] {
			both := common(set, sets[i])
			if both > 0 && float64(both) >= threshold*float64(len(set)+len(sets[i])-both) {
				w.Pair(docs[j].ID, docs[i].ID)
			}
		}
	}
	return nil
}

// common is the number of elements that two sorted sets have in common.
func common(a, b []int) (n int) {
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
