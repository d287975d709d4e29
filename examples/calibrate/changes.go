package main

import (
	"cmp"
	"slices"
)

// changes are the pairs that a preset and the present rule treat otherwise, to look at: those nearest to
// the preset's rule first. A kind without a pair is left out.
func changes(c *corpus, present, v *variant, before threshold, o options) (list []sample) {
	at := *v.preset
	var more, fewer []pair
	for _, p := range v.pairs {
		if at.folds(p) && !before.folds(compare(present.sigs, p.a, p.b)) {
			more = append(more, p)
		}
	}
	for _, p := range present.pairs {
		if q := newPair(c, v.sigs, p.a, p.b); before.folds(p) && !at.folds(q) {
			fewer = append(fewer, q)
		}
	}
	off := func(p pair) int { return max(p.lanes-at.Lanes, at.Lanes-p.lanes) }
	for _, k := range []struct {
		name string
		of   []pair
	}{{v.name + " folds them, the present rule does not", more}, {v.name + " keeps them apart, the present rule folds them", fewer}} {
		if len(k.of) == 0 {
			continue
		}
		slices.SortStableFunc(k.of, func(p, q pair) int {
			return cmp.Or(cmp.Compare(off(p), off(q)), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
		})
		s := sample{Kind: k.name, All: len(k.of), Pairs: []shown{}}
		for _, p := range k.of[:min(len(k.of), o.samples)] {
			s.Pairs = append(s.Pairs, show(c, p, at))
		}
		list = append(list, s)
	}
	return list
}
