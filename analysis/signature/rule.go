package signature

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Mode says how the two tests of a Rule combine.
type Mode string

// The modes. Their JSON names are their values.
const (
	Either      Mode = "either"       // lanes or simhash: the default
	Both        Mode = "both"         // lanes and simhash: fewer false matches (Henzinger, SIGIR 2006)
	SketchOnly  Mode = "sketch_only"  // lanes alone
	SimhashOnly Mode = "simhash_only" // simhash alone
)

// Rule says when two documents are duplicates: their exact hashes agree; or both have at
// least MinShingles distinct shingles, and enough lanes agree or their simhashes are close,
// as Mode combines these two tests.
//
// Start from [DefaultRule]. In JSON, members that are left out have its values.
type Rule struct {
	// Lanes is the least number of lanes that must agree, 1 to the number of lanes. 0 means
	// nine tenths of them, rounded up: 90 of 100.
	Lanes int `json:"lanes,omitempty"`

	// Hamming is the greatest Hamming distance of the simhashes, 0 to 64.
	Hamming int `json:"hamming"`

	// Mode combines the two, Either by default.
	Mode Mode `json:"mode,omitempty"`

	// MinShingles is the least number of distinct shingles that a document needs to match
	// by anything but its exact hash. The default is 9: a set of fewer shingles can reach a
	// resemblance of .9 only with an equal set.
	MinShingles int `json:"min_shingles"`
}

// DefaultRule returns the rule of the literature: at least 90 of 100 lanes agree,
// or the simhashes differ in at most 3 bits.
func DefaultRule() Rule {
	return Rule{Hamming: 3, Mode: Either, MinShingles: 9}
}

// Validate returns an error that names the first field out of range.
func (r Rule) Validate() error {
	switch {
	case r.Lanes < 0 || r.Lanes > sketch.MaxLanes:
		return fmt.Errorf("rule: lanes: wanted 0 to %d, got %d", sketch.MaxLanes, r.Lanes)
	case r.Hamming < 0 || r.Hamming > 64:
		return fmt.Errorf("rule: hamming: wanted 0 to 64, got %d", r.Hamming)
	case r.MinShingles < 0:
		return fmt.Errorf("rule: min_shingles: wanted 0 or more, got %d", r.MinShingles)
	}
	switch r.Mode {
	case "", Either, Both, SketchOnly, SimhashOnly:
		return nil
	}
	return fmt.Errorf("rule: mode: wanted %q, %q, %q or %q, got %q", Either, Both, SketchOnly, SimhashOnly, r.Mode)
}

// UnmarshalJSON fills r from JSON over DefaultRule; unknown members are errors.
func (r *Rule) UnmarshalJSON(data []byte) error {
	type plain Rule
	v := plain(DefaultRule())
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return fmt.Errorf("rule: %s: wanted %s, got %s", wrong.Field, wrong.Type.Kind(), wrong.Value)
		}
		return fmt.Errorf("rule: %w", err)
	}
	if err := Rule(v).Validate(); err != nil {
		return err
	}
	*r = Rule(v)
	return nil
}

// Need returns the number of lanes that must agree in sketches of k lanes.
func (r Rule) Need(k int) int {
	if r.Lanes > 0 {
		return r.Lanes
	}
	return (9*k + 9) / 10
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
	for _, part := range strings.Split(string(text), "+") {
		bit := Reason(0)
		for i, name := range reasonNames {
			if part == name {
				bit = 1 << i
			}
		}
		if bit == 0 && len(text) > 0 {
			return fmt.Errorf("reason: wanted names among %q joined by +, got %q", reasonNames, text)
		}
		sum |= bit
	}
	*r = sum
	return nil
}

// Match says how two signatures compare.
type Match struct {
	// Lanes is the number of lanes that agree, among those that both sketches have.
	Lanes int `json:"lanes"`

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
	if a.Exact == b.Exact {
		m.By = ByExact
	}
	m.Hamming = simhash.Distance(a.Simhash, b.Simhash)
	near := m.Hamming <= r.Hamming && a.Simhash != 0 && b.Simhash != 0
	if a.Lanes > 0 && b.Lanes > 0 {
		m.Lanes = a.Lanes - sketch.Differ(a.Sketch, b.Sketch)
		if r.sized(a) && r.sized(b) {
			m.By |= r.tests(m.Lanes >= r.Need(a.Lanes), near)
		}
	}
	return m, m.By != 0
}

// Duplicates reports the same as Match, but stops at the first lanes of unrelated
// signatures. Use it if almost all pairs are unrelated.
func (r Rule) Duplicates(a, b *Signature) bool {
	if !alike(a, b) || a.Tokens == 0 || b.Tokens == 0 {
		return false
	}
	if a.Exact == b.Exact {
		return true
	}
	if a.Lanes == 0 || b.Lanes == 0 || !r.sized(a) || !r.sized(b) {
		return false
	}
	near := simhash.Distance(a.Simhash, b.Simhash) <= r.Hamming && a.Simhash != 0 && b.Simhash != 0
	switch r.Mode {
	case SimhashOnly:
		return near
	case Both:
		if !near {
			return false
		}
	case SketchOnly:
	default:
		if near {
			return true
		}
	}
	return sketch.Within(a.Sketch, b.Sketch, a.Lanes-r.Need(a.Lanes))
}

func (r Rule) sized(s *Signature) bool { return s.Shingles >= uint64(r.MinShingles) }

// tests combines the two tests as the mode says.
func (r Rule) tests(sketch, simhash bool) (by Reason) {
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
