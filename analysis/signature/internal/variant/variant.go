// Package variant is what a signature.Maker does differently where its parameters ask for it: other
// fingerprints, copies that count, features with weights, equal numbers, passages. The default parameters
// and the presets need none of this.
package variant

import (
	"github.com/neardup/bleve-neardup/analysis/signature/internal/rabin"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Sums is what the tokens of a document are gathered in.
type Sums struct {
	Set     shingle.Set     // the shingles
	Sketch  *sketch.Builder // of Set
	Simhash simhash.Counter
	Feats   shingle.Set // the distinct features of the simhash, if they are not the shingles
}

// Reset empties s.
func (s *Sums) Reset() {
	s.Set.Reset()
	s.Sketch.Reset()
	s.Simhash.Reset()
	s.Feats.Reset()
}

// Options are the parameters of a signature that matter here: see signature.Params.
type Options struct {
	Seed                uint64
	Width, SimhashWidth int

	// XXHash64 makes fingerprints of the text of tokens. Rabin, if not 0, makes Rabin fingerprints of
	// that degree. Else they are polynomials.
	XXHash64 bool
	Rabin    int

	Bag        bool // each copy of a shingle counts
	Count, Log bool // features count as often as they occur, or by the logarithm

	// Weigh, if it is not nil, says how much a feature counts that occurs n times.
	Weigh func(feature []byte, n int) uint32
}

// Variant takes the tokens of documents through the steps after hashing, in this order:
//
//	fingerprints ─► copies numbered, if a bag ─► mixed, if Rabin's ─► set ─► sketch
//	fingerprints ─► mixed, if Rabin's ─► features weighed ─► simhash
//
// A nil Variant is that of the default parameters, and takes none.
type Variant struct {
	Options
	sums *Sums

	// shingles and features append the fingerprints of the windows of all tokens.
	shingles, features func(dst, tokens []uint64) []uint64

	joined         *joined  // the text of the tokens, for XXHash64 and for Weigh
	prints, chosen []uint64 // scratch for fingerprints

	// Rabin fingerprints are mixed before any step that needs random numbers. unused is the
	// number of their upper bits that are 0.
	unused int
	raw    []uint64

	copies map[uint64]uint64 // of shingles, for Bag
	counts map[uint64]uint64 // of features, for Log
	terms  map[uint64]term   // the distinct features, for Weigh
	texts  []byte
}

// New returns the Variant that gathers documents in sums, or nil if none is needed.
func New(o Options, sums *Sums) *Variant {
	if !o.XXHash64 && o.Rabin == 0 && !o.Bag && !o.Count && !o.Log && o.Weigh == nil {
		return nil
	}
	v := &Variant{Options: o, sums: sums, copies: make(map[uint64]uint64), counts: make(map[uint64]uint64)}
	if o.XXHash64 || o.Weigh != nil {
		v.joined = newJoined(o.Seed)
	}
	if o.Rabin > 0 {
		v.unused = 64 - o.Rabin
	}
	v.shingles, v.features = v.windows(o.Width), v.windows(o.SimhashWidth)
	return v
}

// windows returns what makes the fingerprints of windows of that many tokens.
func (v *Variant) windows(width int) func(dst, tokens []uint64) []uint64 {
	switch {
	case v.XXHash64:
		return func(dst, tokens []uint64) []uint64 { return v.joined.append(dst, width, len(tokens)) }
	case v.Rabin > 0:
		windows := rabin.New(rabin.Random(v.Rabin, v.Seed)).Windows(width)
		return windows.Append
	default:
		windows := shingle.NewWindows(width, v.Seed)
		return windows.Append
	}
}

// ByText reports whether the text of tokens is needed and not only their hashes: Add takes it.
func (v *Variant) ByText() bool { return v != nil && v.joined != nil }

// Add adds the text of a token, before Take takes its hash.
func (v *Variant) Add(term []byte) {
	if v.joined != nil {
		v.joined.add(term)
	}
}

// Take takes new tokens of a value, tokens[old:]. The tokens before them were taken already: the first
// shingles begin with them. chosen, if not nil, gets the fingerprints of the shingles that end in new
// tokens.
func (v *Variant) Take(tokens []uint64, old int, chosen *Passages) {
	shingles := v.shingles(v.prints[:0], tokens[from(old, v.Width):])
	if chosen != nil {
		v.chosen = v.mix(append(v.chosen[:0], shingles...)) // before copies are numbered
		chosen.Add(v.chosen)
	}
	added := v.add(shingles)
	distinct := !v.Count && !v.Log && v.Weigh == nil
	features, tokens := shingles, tokens[from(old, v.SimhashWidth):]
	if v.Bag || v.SimhashWidth != v.Width {
		v.prints = v.mix(v.features(v.prints[:0], tokens))
		features = v.prints
	} else if distinct {
		v.sums.Simhash.Add(added)
		return
	}
	switch {
	case v.Weigh != nil:
		v.count(features, len(tokens))
	case distinct:
		v.sums.Simhash.Add(v.sums.Feats.Add(features))
	case v.Log:
		v.sums.Simhash.Add(v.logarithmic(features))
	default:
		v.sums.Simhash.Add(features)
	}
}

// from is where the first window of that many tokens begins that ends at old or later.
func from(old, width int) int { return max(0, old-width+1) }

// Fingerprints appends the fingerprints of the shingles of tokens, as Take gives them to chosen.
func (v *Variant) Fingerprints(dst, tokens []uint64) []uint64 { return v.mix(v.shingles(dst, tokens)) }

// add takes fingerprints of shingles into the set and the sketch, and returns the new ones.
func (v *Variant) add(prints []uint64) []uint64 {
	v.prints = prints
	if v.Bag {
		v.number(prints)
	}
	added := v.sums.Set.Add(v.mix(prints))
	v.sums.Sketch.Add(added)
	return added
}

// number gives every copy of a fingerprint after the first a fingerprint of its own: a
// pseudo-random number of as many bits.
func (v *Variant) number(prints []uint64) {
	for i, f := range prints {
		v.copies[f]++
		if n := v.copies[f]; n > 1 {
			prints[i] = token.Mix(f, n) >> v.unused
		}
	}
}

// mostTexts is the most memory for features that is kept after a long document.
const mostTexts = 1 << 16

// term is a feature: its text, as a place in texts, and how often it occurs.
type term struct{ from, to, n int }

// count counts features, which are those of the windows of the last n tokens.
func (v *Variant) count(features []uint64, n int) {
	if v.terms == nil {
		v.terms = make(map[uint64]term)
	}
	for i, f := range features {
		t := v.terms[f]
		if t.n++; t.n == 1 {
			t.from = len(v.texts)
			v.texts = append(v.texts, v.joined.window(v.SimhashWidth, n, i)...)
			t.to = len(v.texts)
		}
		v.terms[f] = t
	}
}

// Finish adds the features that Weigh weighs, when the document has ended: only then is it known how often they occur.
func (v *Variant) Finish() {
	if v == nil {
		return
	}
	for f, t := range v.terms {
		v.sums.Simhash.AddWeighted(f, v.Weigh(v.texts[t.from:t.to], t.n))
	}
}

// logarithmic keeps a feature when it occurs for the 1st, 2nd, 4th, 8th ... time: of n
// occurrences it keeps 1+log2(n), rounded down.
func (v *Variant) logarithmic(features []uint64) []uint64 {
	kept := features[:0]
	for _, f := range features {
		v.counts[f]++
		if n := v.counts[f]; n&(n-1) == 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

// mix mixes Rabin fingerprints in place.
func (v *Variant) mix(prints []uint64) []uint64 {
	if v.Rabin > 0 {
		for i, f := range prints {
			prints[i] = rabin.Mix(f)
		}
	}
	return prints
}

// Members returns the fingerprints of the distinct shingles so far, before they were mixed. They are valid
// until the next call.
func (v *Variant) Members() []uint64 {
	if v.Rabin == 0 {
		return v.sums.Set.Members()
	}
	v.raw = v.raw[:0]
	for _, f := range v.sums.Set.Members() {
		v.raw = append(v.raw, rabin.Unmix(f))
	}
	return v.raw
}

// Keep drops the text of all tokens but the last n.
func (v *Variant) Keep(n int) {
	if v.ByText() {
		v.joined.keep(n)
	}
}

// emptied returns counts without any, and does not keep memory that only a long document needed.
func emptied(counts map[uint64]uint64) map[uint64]uint64 {
	const most = 1 << 14
	if len(counts) > most {
		return make(map[uint64]uint64)
	}
	clear(counts)
	return counts
}

// Reset begins another document. Sums is not reset.
func (v *Variant) Reset() {
	if v == nil {
		return
	}
	v.copies, v.counts = emptied(v.copies), emptied(v.counts)
	clear(v.terms)
	if v.texts = v.texts[:0]; cap(v.texts) > mostTexts {
		v.terms, v.texts = nil, nil
	}
	v.raw = nil
	v.Keep(0)
}
