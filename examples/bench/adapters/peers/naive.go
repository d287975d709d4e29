package main

import (
	"iter"
	"slices"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// naive compares the shingles of each document with those of every other: the truth, at the greatest cost.
func naive(docs iter.Seq[lines.Document], threshold float64, w lines.Writer) error {
	numbers := map[string]int{} // of shingles, in the order in which they come
	var ids []string
	var sets [][]int
	var t lines.Text
	for d := range docs {
		var set []int
		t.Read(d.Text)
		t.Runs(4, func(run []byte) {
			n, ok := numbers[string(run)]
			if !ok {
				n = len(numbers)
				numbers[string(run)] = n
			}
			set = append(set, n)
		})
		slices.Sort(set)
		set = slices.Compact(set)
		for j, other := range sets {
			both := common(other, set)
			if both > 0 && float64(both) >= threshold*float64(len(other)+len(set)-both) {
				w.Pair(ids[j], d.ID)
			}
		}
		ids, sets = append(ids, d.ID), append(sets, set)
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
