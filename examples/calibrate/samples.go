package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
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
	Hunks       []hunk  `json:"hunks"`
	More        int     `json:"more"` // hunks that are not shown
}

// hunk is a place where two texts differ, with the words around it.
type hunk []change

// change is words that both have, or only the first or the second.
type change struct {
	Op   diff.Op `json:"op"`
	Text string  `json:"text"`
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
	mostShown  = 150    // words of a pair
	around     = 5      // words around a difference
	mostTokens = 20_000 // of a text are compared
	patience   = time.Second
)

// samples draws pairs from around the threshold.
func samples(c *corpus, pairs []pair, o options) (all []sample) {
	at, lanes := threshold{o.rule.Lanes, o.rule.Hamming, o.rule.MinWords}, o.rule.Lanes
	kinds := []struct {
		name string
		in   func(p pair) bool
	}{
		{fmt.Sprintf("%d to %d lanes: folded, by a wide margin", lanes+5, c.lanes()), func(p pair) bool { return p.lanes >= lanes+5 }},
		{fmt.Sprintf("%d to %d lanes: just folded", lanes, lanes+4), func(p pair) bool { return p.lanes >= lanes && p.lanes < lanes+5 }},
		{fmt.Sprintf("%d to %d lanes, Hamming distance above %d: just kept", lanes-5, lanes-1, at.Hamming), func(p pair) bool { return p.lanes < lanes && p.lanes >= lanes-5 && p.hamming > at.Hamming }},
		{fmt.Sprintf("%d to %d lanes, Hamming distance above %d: kept", lanes-15, lanes-6, at.Hamming), func(p pair) bool { return p.lanes < lanes-5 && p.lanes >= lanes-15 && p.hamming > at.Hamming }},
		{fmt.Sprintf("Hamming distance up to %d, below %d lanes: folded by the simhash alone", at.Hamming, lanes), func(p pair) bool { return p.lanes < lanes && p.hamming <= at.Hamming }},
		{fmt.Sprintf("Hamming distance %d to %d, below %d lanes: kept", at.Hamming+1, at.Hamming+3, lanes), func(p pair) bool { return p.lanes < lanes && p.hamming > at.Hamming && p.hamming <= at.Hamming+3 }},
		{fmt.Sprintf("below %d words: kept, whatever the lanes", at.MinWords), func(p pair) bool { return p.words < at.MinWords }},
	}
	for i, kind := range kinds {
		s := sample{Kind: kind.name, Pairs: []shown{}}
		var of []pair
		for _, p := range pairs {
			if kind.in(p) && (p.words >= at.MinWords || i == len(kinds)-1) {
				of = append(of, p)
			}
		}
		s.All = len(of)
		rnd := rand.New(rand.NewPCG(o.seed, uint64(i)))
		rnd.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		of = of[:min(len(of), o.samples)]
		slices.SortStableFunc(of, func(p, q pair) int { return q.lanes - p.lanes })
		for _, p := range of {
			s.Pairs = append(s.Pairs, show(c, p, at))
		}
		all = append(all, s)
	}
	return all
}

func show(c *corpus, p pair, at threshold) shown {
	a, b := c.texts[p.a], c.texts[p.b]
	hunks, more := c.diff(a, b)
	return shown{
		A: a.ids[0], B: b.ids[0], Lanes: p.lanes, Hamming: p.hamming, Resemblance: p.exact,
		Shingles: [2]int{int(a.sig.Shingles), int(b.sig.Shingles)}, Folded: at.folds(p),
		Hunks: hunks, More: more,
	}
}

// words are the tokens of a text, and what stands there.
type words struct {
	folded []string
	tokens []token.Token
	value  []int // that each token is of
	values [][]byte
}

func (c *corpus) words(t *text) (w words) {
	w.values = t.values
	for i, v := range t.values {
		for _, token := range c.tokens(v) {
			if len(w.folded) == mostTokens {
				return w
			}
			w.folded = append(w.folded, string(token.Term))
			w.tokens = append(w.tokens, token)
			w.value = append(w.value, i)
		}
	}
	return w
}

// cut is the words from i until before j as they stand in the text; of many the first
// and the last.
func (w words) cut(i, j int) string {
	if j-i > mostWords {
		return w.cut(i, i+mostWords/2) + " … " + w.cut(j-mostWords/2, j)
	}
	var parts []string
	for ; i < j; i++ {
		t := w.tokens[i]
		parts = append(parts, string(w.values[w.value[i]][t.Start:t.End]))
	}
	return strings.Join(parts, " ")
}

// diff returns the places where two texts differ in words, and how many more there are: case,
// punctuation and space do not count.
func (c *corpus) diff(a, b *text) (hunks []hunk, more int) {
	x, y := c.words(a), c.words(b)
	all := diff.Words(x.folded, y.folded, around, patience)
	left := mostShown
	for i, h := range all {
		if i == mostHunks || left <= 0 {
			return hunks, len(all) - i
		}
		var shown hunk
		for _, run := range h.Runs {
			if left <= 0 {
				shown = append(shown, change{diff.Equal, "…"})
				break
			}
			words := x
			if run.Op == diff.Insert {
				words = y
			}
			shown = append(shown, change{run.Op, words.cut(run.Begin, run.End)})
			left -= min(run.End-run.Begin, mostWords)
		}
		hunks = append(hunks, shown)
	}
	return hunks, 0
}
