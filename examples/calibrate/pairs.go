package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// mostPairs is the most pairs that are kept: 40 bytes each.
const mostPairs = 5_000_000

// pair is two texts by their numbers, the first one first.
type pair struct {
	a, b           int
	lanes, hamming int
	exact          float64 // resemblance at the present width
	words          int     // of the text that has fewer
}

// find returns all pairs of texts that meet the loose rule, and misses none: package table
// looks them up by keys, and two such texts share at least one. So counts of pairs with at
// least as many lanes, or at most its Hamming distance, are complete.
func find(ctx context.Context, c *corpus, v *variant, loose signature.Rule) (pairs []pair, err error) {
	if loose.Lanes > v.lanes() {
		return nil, fmt.Errorf("--loose-lanes: wanted at most the %d lanes of the signatures, got %d", v.lanes(), loose.Lanes)
	}
	sigs := v.sigs
	loose.Hamming = bits(loose.Hamming)
	t := table.New(loose)
	t.Reserve(len(sigs))
	for b := range sigs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for a := range t.Each(&sigs[b]) {
			pairs = append(pairs, newPair(c, sigs, a, b))
		}
		if len(pairs) > mostPairs {
			return nil, fmt.Errorf("wanted at most %d pairs, got more after %d of %d texts: %w", mostPairs, b, len(sigs), errMany)
		}
		t.Add(&sigs[b])
	}
	return pairs, nil
}

// far is a Hamming distance that no rule accepts, of texts without a simhash.
const far = 65

// newPair compares two texts, and their signatures.
func newPair(c *corpus, sigs []signature.Signature, a, b int) pair {
	if a > b {
		a, b = b, a
	}
	p := compare(sigs, a, b)
	p.exact = resemblance(c.texts[a], c.texts[b])
	return p
}

// compare compares two signatures. A text too short for a shingle has neither lanes nor a
// simhash: it meets no rule.
func compare(sigs []signature.Signature, a, b int) pair {
	x, y := &sigs[a], &sigs[b]
	m, _ := signature.Rule{}.Match(x, y)
	if x.Lanes == 0 || y.Lanes == 0 || x.Simhash == 0 || y.Simhash == 0 {
		m.Hamming = far
	}
	return pair{a: a, b: b, lanes: m.Agree, hamming: m.Hamming, words: int(min(x.Tokens, y.Tokens))}
}

// threshold is a rule among those that are tried.
type threshold struct {
	Lanes    int `json:"lanes"`
	Hamming  int `json:"hamming"` // -1 for no test of the simhashes
	MinWords int `json:"min_words"`
}

// rule is what to ask for.
func (t threshold) rule() signature.Rule {
	if t.Hamming < 0 {
		return signature.Rule{Lanes: t.Lanes, Mode: signature.SketchOnly, MinWords: t.MinWords}
	}
	return signature.Rule{Lanes: t.Lanes, Hamming: bits(t.Hamming), MinWords: t.MinWords}
}

// bits is a Hamming distance as a rule has it, where 0 means the default.
func bits(hamming int) int { return cmp.Or(hamming, -1) }

// Go is the rule in Go, to be copied.
func (t threshold) Go() string {
	text := fmt.Sprintf("signature.Rule{Lanes: %d", t.Lanes)
	if t.Hamming < 0 {
		text += ", Mode: signature.SketchOnly"
	} else {
		text += fmt.Sprintf(", Hamming: %d", bits(t.Hamming))
	}
	if t.MinWords > 0 {
		text += fmt.Sprintf(", MinWords: %d", t.MinWords)
	}
	return text + "}"
}

// JSON is the rule in JSON, to be copied.
func (t threshold) JSON() (string, error) {
	text, err := json.Marshal(t.rule())
	return string(text), err
}

// folds reports whether a pair meets the rule.
func (t threshold) folds(p pair) bool {
	return p.words >= t.MinWords && (p.lanes >= t.Lanes || p.hamming <= t.Hamming)
}

// folded is what a threshold would hide of the whole corpus.
type folded struct {
	threshold
	Hidden int `json:"hidden"` // documents
	Groups int `json:"groups"` // that they belong to
}

// fold groups the texts as near.Groups does by leaders: each, in their order, is
// hidden by a head before it that it meets the rule with, or becomes a head. pairs must
// be in the order of their second text.
func fold(c *corpus, pairs []pair, t threshold) folded {
	head := make([]int, len(c.texts)) // its own number for a head
	size := make([]int, len(c.texts))
	for b := range c.texts {
		head[b] = b
		for len(pairs) > 0 && pairs[0].b == b {
			if p := pairs[0]; head[p.a] == p.a && t.folds(p) && p.a < head[b] {
				head[b] = p.a
			}
			pairs = pairs[1:]
		}
		size[head[b]] += len(c.texts[b].ids)
	}
	f := folded{threshold: t}
	for _, n := range size {
		if n > 1 {
			f.Hidden += n - 1
			f.Groups++
		}
	}
	return f
}
