package signature

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Mode says how the two tests of a Rule, of lanes and of the simhash, combine.
type Mode string

// The modes. Their JSON names are their values.
const (
	Either      Mode = "either"       // lanes or simhash: the default
	Both        Mode = "both"         // lanes and simhash: fewer false matches (Henzinger, SIGIR 2006)
	SketchOnly  Mode = "sketch_only"  // lanes alone
	SimhashOnly Mode = "simhash_only" // simhash alone
	ExactOnly   Mode = "exact_only"   // neither: the texts are equal after normalisation
)

// Rule says when two documents are duplicates. The zero Rule is the rule of the
// literature: at least 90 of 100 lanes agree, or the simhashes differ in at most 3 bits, or
// the texts are equal after normalisation, that is, their exact hashes agree.
//
// Each member at 0 or "" has its default, in Go and in JSON. So Rule{Lanes: 80} differs from
// the default in nothing but the lanes. A test is switched off by a Mode.
type Rule struct {
	// Lanes is the least number of lanes that must agree, up to the number of lanes. 0 means
	// nine tenths of them, rounded up: 90 of 100.
	Lanes int `json:"lanes,omitempty"`

	// LongLanes is the least number of lanes that must agree of long texts, where it is more than Lanes: of
	// a pair whose longer text has 100 words or more. From 20 words on it rises evenly from Lanes. 0 means
	// Lanes for all lengths. Lanes and LongLanes go together: see Over.
	//
	// The longer text counts, so that no text of 100 words ever matches by fewer.
	LongLanes int `json:"long_lanes,omitempty"`

	// Hamming is the greatest Hamming distance of the simhashes, up to 64. 0 means 3, and -1
	// means that no bit may differ.
	Hamming int `json:"hamming,omitempty"`

	// Mode says which tests there are, Either by default. Texts that are equal after
	// normalisation pass in every mode.
	Mode Mode `json:"mode,omitempty"`

	// MinWords is the least number of words of a text. A shorter text matches nothing, not
	// even an equal text. 0 and -1 mean no least number. Words are tokens, as counted in
	// Signature.Tokens.
	MinWords int `json:"min_words,omitempty"`
}

// The numbers of words between which the least number of lanes rises from Lanes to LongLanes.
const shortWords, longWords = 20, 100

// defaultHamming is the Hamming distance of the zero Rule.
const defaultHamming = 3

// Validate returns an error that names the first field out of range.
func (r Rule) Validate() error {
	switch {
	case r.Lanes < 0 || r.Lanes > sketch.MaxLanes:
		return fmt.Errorf("rule: lanes: wanted 0 to %d, got %d", sketch.MaxLanes, r.Lanes)
	case r.LongLanes < 0 || r.LongLanes > sketch.MaxLanes:
		return fmt.Errorf("rule: long_lanes: wanted 0 to %d, got %d", sketch.MaxLanes, r.LongLanes)
	case r.Hamming < -1 || r.Hamming > 64:
		return fmt.Errorf("rule: hamming: wanted -1 to 64, got %d", r.Hamming)
	case r.MinWords < -1:
		return fmt.Errorf("rule: min_words: wanted -1 or more, got %d", r.MinWords)
	}
	switch r.Mode {
	case "", Either, Both, SketchOnly, SimhashOnly, ExactOnly:
		return nil
	}
	return fmt.Errorf("rule: mode: wanted %q, %q, %q, %q or %q, got %q", Either, Both, SketchOnly, SimhashOnly, ExactOnly, r.Mode)
}

// UnmarshalJSON reads r from JSON. Members that are left out have their defaults; unknown
// members are errors.
func (r *Rule) UnmarshalJSON(data []byte) error {
	type plain Rule
	var v plain
	if err := strict.Fill("rule", data, &v); err != nil {
		return err
	}
	if err := Rule(v).Validate(); err != nil {
		return err
	}
	*r = Rule(v)
	return nil
}

// Normal returns r with each default written out, but for the lanes, whose default depends on
// the sketch. Rules that mean the same for all signatures have the same Normal if their
// Lanes and LongLanes are the same.
func (r Rule) Normal() Rule {
	r.Hamming, r.Mode, r.MinWords = cmp.Or(max(r.Hamming, -1), defaultHamming), cmp.Or(r.Mode, Either), max(r.MinWords, 0)
	return r
}

// Over returns r with the members of base in place of those that are 0 or "". If r names Lanes, LongLanes is r's, too:
// a number of lanes that is asked for is that of all texts. With a field's rule as base, a member that is to have the
// default of the zero Rule all the same is written out: Rule{Lanes: 90, Hamming: 3, Mode: Either, MinWords: -1}.
func (r Rule) Over(base Rule) Rule {
	if r.Lanes == 0 {
		r.Lanes, r.LongLanes = base.Lanes, cmp.Or(r.LongLanes, base.LongLanes)
	}
	r.Hamming, r.Mode = cmp.Or(r.Hamming, base.Hamming), cmp.Or(r.Mode, base.Mode)
	r.MinWords = cmp.Or(r.MinWords, base.MinWords)
	return r
}

// Explicit returns r with all defaults written out, for sketches of k lanes: no other rule that it is
// put Over changes it.
func (r Rule) Explicit(k int) Rule {
	r.Lanes, r.Hamming = r.Need(k, 0), cmp.Or(r.Hamming, defaultHamming)
	r.Mode, r.MinWords = cmp.Or(r.Mode, Either), cmp.Or(r.MinWords, -1)
	if r.LongLanes <= r.Lanes {
		r.LongLanes = 0
	}
	return r
}

// Need returns the number of lanes that must agree in sketches of k lanes, of a pair whose longer text has
// that many words. With 0 words it is the least for any pair.
func (r Rule) Need(k int, words uint64) int {
	need := cmp.Or(r.Lanes, (9*k+9)/10)
	if rise := r.LongLanes - need; rise > 0 && words > shortWords {
		const span = longWords - shortWords
		need += (rise*int(min(words-shortWords, span)) + span - 1) / span
	}
	return need
}

// Bits returns the greatest number of bits in which the simhashes may differ.
func (r Rule) Bits() int {
	if r.Hamming == 0 {
		return defaultHamming
	}
	return max(r.Hamming, 0)
}

// Long reports whether s has the least number of words, at least one, so that it can match
// anything.
func (r Rule) Long(s *Signature) bool {
	return s != nil && s.Tokens >= uint64(max(1, r.MinWords))
}

// Reason is the set of tests that two matching documents passed.
type Reason uint8

// The reasons, which may be combined.
const (
	ByExact   Reason = 1 << iota // the exact hashes agree
	BySketch                     // enough lanes agree
	BySimhash                    // the simhashes are close
)

var reasonNames = []string{"exact", "sketch", "simhash"}

// String returns the names of the reasons, joined by "+".
func (r Reason) String() string {
	var names []string
	for i, name := range reasonNames {
		if r>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// MarshalText returns String.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a text that MarshalText wrote.
func (r *Reason) UnmarshalText(text []byte) error {
	var sum Reason
	for name := range strings.SplitSeq(string(text), "+") {
		i := slices.Index(reasonNames, name)
		if i >= 0 {
			sum |= 1 << i
		} else if len(text) > 0 {
			return fmt.Errorf("reason: wanted names among %q joined by +, got %q", reasonNames, text)
		}
	}
	*r = sum
	return nil
}

// Match says how two signatures compare.
type Match struct {
	// Agree is the number of lanes that agree, among those that both sketches have.
	Agree int `json:"agree"`

	// Hamming is the Hamming distance of the simhashes, 0 to 64.
	Hamming int `json:"hamming"`

	// By is the set of tests of the rule that the pair passed.
	By Reason `json:"by"`
}

// Match compares a and b in full and reports whether they are duplicates. Signatures made
// with different parameters are never duplicates, nor is a signature without any token.
func (r Rule) Match(a, b *Signature) (Match, bool) {
	var m Match
	if !alike(a, b) || a.Tokens == 0 || b.Tokens == 0 {
		return m, false
	}
	m.Hamming = simhash.Distance(a.Simhash, b.Simhash)
	if a.Lanes > 0 && b.Lanes > 0 {
		m.Agree = a.Lanes - sketch.Differ(a.Sketch, b.Sketch)
	}
	if !r.Long(a) || !r.Long(b) {
		return m, false
	}
	if a.Exact == b.Exact {
		m.By = ByExact
	}
	if a.Lanes > 0 && b.Lanes > 0 {
		lanes := m.Agree >= r.Need(a.Lanes, max(a.Tokens, b.Tokens))
		m.By |= r.tests(lanes, m.Hamming <= r.Bits() && a.Simhash != 0 && b.Simhash != 0)
	}
	return m, m.By != 0
}

// Duplicates reports the same as Match, but stops at the first lanes of unrelated
// signatures. Use it if almost all pairs are unrelated.
func (r Rule) Duplicates(a, b *Signature) bool {
	if !alike(a, b) || !r.Long(a) || !r.Long(b) {
		return false
	}
	if a.Exact == b.Exact {
		return true
	}
	if a.Lanes == 0 || b.Lanes == 0 {
		return false
	}
	near := simhash.Distance(a.Simhash, b.Simhash) <= r.Bits() && a.Simhash != 0 && b.Simhash != 0
	return r.tests(sketch.Within(a.Sketch, b.Sketch, a.Lanes-r.Need(a.Lanes, max(a.Tokens, b.Tokens))), near) != 0
}

// tests combines the two tests as the mode says.
func (r Rule) tests(sketch, simhash bool) (by Reason) {
	if r.Mode == ExactOnly {
		return 0
	}
	if sketch && r.Mode != SimhashOnly {
		by |= BySketch
	}
	if simhash && r.Mode != SketchOnly {
		by |= BySimhash
	}
	if r.Mode == Both && by != BySketch|BySimhash {
		return 0
	}
	return by
}
