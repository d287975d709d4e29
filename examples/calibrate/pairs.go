package main

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// pair is two texts by their numbers, the first one first.
type pair struct {
	a, b           int
	lanes, hamming int
	exact          float64 // resemblance at the present width
	words, longer  int     // of the text that has fewer, and of the other
}

// far is a Hamming distance that no rule accepts, of texts without a simhash.
const far = 65

// newPair compares two texts, and their signatures.
func newPair(c *corpus, sigs []signature.Signature, a, b int) pair {
	if a > b {
		a, b = b, a
	}
	return compare(sigs, a, b, resemblance(c.texts[a], c.texts[b]))
}

// compare compares two signatures of texts of some resemblance. A text too short for a shingle has neither lanes nor a
// simhash: it meets no rule.
func compare(sigs []signature.Signature, a, b int, exact float64) pair {
	x, y := &sigs[a], &sigs[b]
	m, _ := signature.Rule{}.Match(x, y)
	if x.Lanes == 0 || y.Lanes == 0 || x.Simhash == 0 || y.Simhash == 0 {
		m.Hamming = far
	}
	return pair{a: a, b: b, lanes: m.Agree, hamming: m.Hamming, exact: exact, words: int(min(x.Tokens, y.Tokens)), longer: int(max(x.Tokens, y.Tokens))}
}

// threshold is a rule among those that are tried.
type threshold struct {
	Lanes    int `json:"lanes"`
	Hamming  int `json:"hamming"` // -1 for no test of the simhashes
	MinWords int `json:"min_words"`

	// Verify is the least resemblance of the texts, which decide in place of lanes and bits; 0 if these decide.
	Verify float64 `json:"verify,omitempty"`

	LongLanes int `json:"long_lanes,omitempty"` // of presets and of the present rule
}

// before is the present rule.
func (o options) before() threshold {
	return threshold{Lanes: o.rule.Lanes, Hamming: o.rule.Hamming, MinWords: o.rule.MinWords, LongLanes: o.rule.LongLanes}
}

// verifies are the resemblances that are tried. Below them the pairs that were looked for are not complete.
var verifies = []float64{.95, .9, .85, .8, .75}

// rule is what to ask for.
func (t threshold) rule() signature.Rule {
	rule := signature.Rule{Lanes: t.Lanes, LongLanes: t.LongLanes, MinWords: t.MinWords}
	if t.Hamming < 0 {
		rule.Mode = signature.SketchOnly
	} else {
		rule.Hamming = bits(t.Hamming)
	}
	return rule
}

// bits is a Hamming distance as a rule has it, where 0 means the default.
func bits(hamming int) int { return cmp.Or(hamming, -1) }

// Go is the option in Go, to be copied.
func (t threshold) Go() string {
	if t.Verify > 0 {
		return fmt.Sprintf("Verify: signature.Verify{Resemblance: %g}", t.Verify)
	}
	text := fmt.Sprintf("Rule: signature.Rule{Lanes: %d", t.Lanes)
	if t.LongLanes > 0 {
		text += fmt.Sprintf(", LongLanes: %d", t.LongLanes)
	}
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

// JSON is the option in JSON, to be copied.
func (t threshold) JSON() (string, error) {
	if t.Verify > 0 {
		return fmt.Sprintf(`"verify": {"resemblance": %g}`, t.Verify), nil
	}
	text, err := json.Marshal(t.rule())
	return `"rule": ` + string(text), err
}

// folds reports whether a pair meets the rule.
func (t threshold) folds(p pair) bool {
	if t.Verify > 0 {
		return p.words >= t.MinWords && p.exact >= t.Verify
	}
	return p.words >= t.MinWords && (p.lanes >= t.need(p) || p.hamming <= t.Hamming)
}

// need is how many lanes must agree of a pair.
func (t threshold) need(p pair) int {
	return signature.Rule{Lanes: t.Lanes, LongLanes: t.LongLanes}.Need(0, uint64(p.longer))
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
