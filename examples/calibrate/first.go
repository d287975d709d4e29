package main

import (
	"cmp"
	"slices"
)

// kind is pairs to look at for one reason.
type kind struct {
	name  string
	in    func(p judged) bool
	order func(p, q judged) int
}

// first is the pairs to look at first: those in which the recommended rule and the truth
// disagree, where an error in the labels shows; those that the recommended rule treats
// otherwise than the present rule; and those of which the truth says nothing, nearest to the
// rule: to be labelled next. A pair is of the first of the kinds that it fits.
func first(c *corpus, all []*variant, best choice, o options) (list []sample) {
	before := threshold{o.rule.Lanes, o.rule.Hamming, o.rule.MinWords}
	v := all[max(0, slices.IndexFunc(all, func(v *variant) bool { return v.name == best.Signature }))]
	changes := func(p pair) bool { return best.folds(p) != before.folds(compare(all[0].sigs, p.a, p.b)) }
	off := func(p pair) int { return max(p.lanes-best.Lanes, best.Lanes-p.lanes) }
	kinds := []kind{
		{
			"Different, yet the rule folds them: is the label right?",
			func(p judged) bool { return p.verdict == different && best.folds(p.pair) },
			func(p, q judged) int { return cmp.Compare(q.lanes, p.lanes) },
		},
		{
			"Copies, yet the rule keeps them apart: is the label right?",
			func(p judged) bool { return p.verdict == copied && !best.folds(p.pair) },
			func(p, q judged) int { return cmp.Compare(p.lanes, q.lanes) },
		},
		{
			"The recommended rule folds them, the present one does not, or the other way round",
			func(p judged) bool { return changes(p.pair) },
			func(p, q judged) int { return cmp.Compare(off(p.pair), off(q.pair)) },
		},
		{
			"Nothing says whether they are copies, and they are close to the rule: label these next",
			func(p judged) bool { return p.verdict == between },
			func(p, q judged) int { return cmp.Compare(off(p.pair), off(q.pair)) },
		},
	}
	if !o.comparable() {
		kinds[0].name, kinds[1].name = "Different by their resemblance, yet the rule folds them", "Copies by their resemblance, yet the rule keeps them apart"
		kinds[3].name = "Neither by their resemblance, and close to the rule"
	}
	of := make([][]judged, len(kinds))
	for _, p := range v.open() {
		if i := slices.IndexFunc(kinds, func(k kind) bool { return k.in(p) }); i >= 0 {
			of[i] = append(of[i], p)
		}
	}
	for i, k := range kinds {
		if len(of[i]) == 0 {
			continue
		}
		slices.SortStableFunc(of[i], k.order)
		s := sample{Kind: k.name, All: len(of[i]), Pairs: []shown{}}
		for _, p := range of[i][:min(len(of[i]), o.samples)] {
			s.Pairs = append(s.Pairs, show(c, p.pair, best.threshold))
		}
		list = append(list, s)
	}
	return list
}

// open returns the judged pairs, and then those that are not, as between.
func (v *variant) open() []judged {
	known := make(map[[2]int]bool, len(v.judged))
	for _, j := range v.judged {
		known[[2]int{j.a, j.b}] = true
	}
	all := slices.Clone(v.judged)
	for _, p := range v.pairs {
		if !known[[2]int{p.a, p.b}] {
			all = append(all, judged{p, between})
		}
	}
	return all
}
