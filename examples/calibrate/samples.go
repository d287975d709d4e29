package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/neardup/bleve-neardup/examples/internal/diff"
)

// sample is pairs of one kind, to look at.
type sample struct {
	Kind  string  `json:"kind"`
	All   int     `json:"all"` // pairs of the kind
	Pairs []shown `json:"pairs"`
}

// shown is a pair with its differences.
type shown struct {
	A           string  `json:"a"`
	B           string  `json:"b"`
	Lanes       int     `json:"lanes"`
	Hamming     int     `json:"hamming"`
	Resemblance float64 `json:"resemblance"`
	Shingles    [2]int  `json:"shingles"`
	Folded      bool    `json:"folded"` // by the present rule, or of pairs to look at first, by the recommended one
	// Hunks are the places where the texts differ in words, with the words around them: case, punctuation and space do not count.
	Hunks [][]diff.Part `json:"hunks"`
	More  int           `json:"more"` // hunks that are not shown
}

// Exact writes the resemblance. The texts of a pair are never equal.
func (s shown) Exact() string {
	if s.Resemblance == 1 {
		return "1 (the same shingles, in another order or number)"
	}
	return decimals(s.Resemblance)
}

// Bits writes the Hamming distance.
func (s shown) Bits() string {
	if s.Hamming == far {
		return "no simhash"
	}
	return fmt.Sprintf("Hamming distance %d", s.Hamming)
}

const (
	mostHunks  = 6
	mostWords  = 40     // of one change
	around     = 5      // words around a difference
	mostTokens = 20_000 // of a text are compared
	patience   = time.Second
)

// look is a sample of pairs, those nearest to the rule first, or those farthest from it; nothing if there are none.
func look(c *corpus, name string, of []pair, at threshold, far bool, most int) []sample {
	if len(of) == 0 {
		return nil
	}
	off := func(p pair) int { return max(p.lanes-at.Lanes, at.Lanes-p.lanes) }
	slices.SortStableFunc(of, func(p, q pair) int {
		near := cmp.Compare(off(p), off(q))
		if far {
			near = -near
		}
		return cmp.Or(near, cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	s := sample{Kind: name, All: len(of), Pairs: []shown{}}
	for _, p := range of[:min(len(of), most)] {
		s.Pairs = append(s.Pairs, show(c, p, at))
	}
	return []sample{s}
}

// first is the pairs to look at first: those in which the recommended rule and the truth disagree, where an error in
// the labels shows; those that the recommended rule treats otherwise than the present rule; those of which the truth
// says nothing, to be labelled next; and those that the rule just folds and just keeps apart. A pair is of the first of
// the kinds that it fits.
func first(c *corpus, all []*variant, best choice, o options) (list []sample) {
	v := all[max(0, slices.IndexFunc(all, func(v *variant) bool { return v.name == best.Signature }))]
	names := []string{
		"Different, yet the rule folds them: is the label right?", "Copies, yet the rule keeps them apart: is the label right?",
		"The recommended rule folds them, the present one does not, or the other way round",
		"Nothing says whether they are copies, and they are close to the rule: label these next",
		"Just folded", "Just kept apart",
	}
	if !o.comparable() {
		names[0], names[1] = "Different by their resemblance, yet the rule folds them", "Copies by their resemblance, yet the rule keeps them apart"
		names[3] = "Neither by their resemblance, and close to the rule"
	}
	of := make([][]pair, len(names))
	for _, p := range v.open() {
		folds, kind := best.folds(p.pair), 5
		switch {
		case p.verdict == different && folds:
			kind = 0
		case p.verdict == copied && !folds:
			kind = 1
		case folds != o.before().folds(compare(all[0].sigs, p.a, p.b, p.exact)):
			kind = 2
		case p.verdict == between:
			kind = 3
		case folds:
			kind = 4
		}
		of[kind] = append(of[kind], p.pair)
	}
	for i, name := range names {
		list = append(list, look(c, name, of[i], best.threshold, i < 2, o.samples)...)
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

// changes are the pairs that a preset and the present rule treat otherwise, those nearest to the preset's rule first.
func changes(c *corpus, present, v *variant, o options) []sample {
	at, before := *v.preset, o.before()
	var more, fewer []pair
	for _, p := range v.pairs {
		if at.folds(p) && !before.folds(compare(present.sigs, p.a, p.b, p.exact)) {
			more = append(more, p)
		}
	}
	for _, p := range present.pairs {
		if q := compare(v.sigs, p.a, p.b, p.exact); before.folds(p) && !at.folds(q) {
			fewer = append(fewer, q)
		}
	}
	return append(look(c, v.name+" folds them, the present rule does not", more, at, false, o.samples),
		look(c, v.name+" keeps them apart, the present rule folds them", fewer, at, false, o.samples)...)
}

func show(c *corpus, p pair, at threshold) shown {
	a, b := c.texts[p.a], c.texts[p.b]
	s := shown{
		A: a.ids[0], B: b.ids[0], Lanes: p.lanes, Hamming: p.hamming, Resemblance: p.exact,
		Shingles: [2]int{int(a.sig.Shingles), int(b.sig.Shingles)}, Folded: at.folds(p),
	}
	foldedA, wordsA := c.words(a)
	foldedB, wordsB := c.words(b)
	hunks, more := diff.Show(diff.Words(foldedA, foldedB, around, patience), wordsA, wordsB, mostHunks, mostWords)
	for _, h := range hunks {
		s.Hunks = append(s.Hunks, h.Parts)
	}
	s.More = more
	return s
}

// words are the tokens of a text, and what stands there.
func (c *corpus) words(t *text) (folded, words []string) {
	for _, v := range t.values {
		for _, token := range c.tokens(v) {
			if len(words) == mostTokens {
				return folded, words
			}
			folded, words = append(folded, string(token.Term)), append(words, string(v[token.Start:token.End]))
		}
	}
	return folded, words
}
