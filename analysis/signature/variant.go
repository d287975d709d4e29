package signature

import (
	"github.com/neardup/bleve-neardup/analysis/signature/internal/rabin"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// sums is what the tokens of a document are gathered in.
type sums struct {
	Set     shingle.Set     // the shingles
	Sketch  *sketch.Builder // of Set
	Simhash simhash.Counter
	Feats   shingle.Set // the distinct features of the simhash, if they are not the shingles
}

// Reset empties s.
func (s *sums) Reset() {
	s.Set.Reset()
	s.Sketch.Reset()
	s.Simhash.Reset()
	s.Feats.Reset()
}

// variant is what a Maker does differently where its parameters ask for it: other fingerprints, copies that count,
// features with weights. It takes the tokens of documents through the steps after hashing, in this order:
//
//	fingerprints ─► copies numbered, if a bag ─► mixed, if Rabin's ─► set ─► sketch
//	fingerprints ─► mixed, if Rabin's ─► features weighed ─► simhash
//
// A nil variant is that of the default parameters, and takes none.
type variant struct {
	Params
	rabin      int  // the degree of Rabin fingerprints, 0 for others
	count, log bool // features count as often as they occur, or by the logarithm
	weigh      WeightFunc
	sums       *sums

	// shingles and features append the fingerprints of the windows of all tokens.
	shingles, features func(dst, tokens []uint64) []uint64

	joined         *joined  // the text of the tokens, for XXHash64 and for weigh
	prints, chosen []uint64 // scratch for fingerprints

	// Rabin fingerprints are mixed before any step that needs random numbers. unused is the
	// number of their upper bits that are 0.
	unused int
	raw    []uint64

	copies map[uint64]uint64 // of shingles, for Bag
	counts map[uint64]uint64 // of features, for WeightLog
	terms  map[uint64]term   // the distinct features, for weigh
	texts  []byte
}

// newVariant returns the variant that gathers documents in sums, or nil if none is needed.
func newVariant(p Params, sums *sums) *variant {
	v := &variant{
		Params: p, rabin: map[Fingerprint]int{Rabin64: 64, Rabin40: 40}[p.Fingerprint], count: p.SimhashWeight == WeightCount,
		log: p.SimhashWeight == WeightLog, weigh: p.SimhashWeight.Function(), sums: sums, copies: make(map[uint64]uint64), counts: make(map[uint64]uint64),
	}
	if p.Fingerprint == XXHash64 || v.weigh != nil {
		v.joined = &joined{seed: p.Seed, starts: []int{0}}
	}
	if v.joined == nil && v.rabin == 0 && !p.Bag && !v.count && !v.log {
		return nil
	}
	if v.rabin > 0 {
		v.unused = 64 - v.rabin
	}
	v.shingles, v.features = v.windows(p.Width), v.windows(p.SimhashWidth)
	return v
}

// windows returns what makes the fingerprints of windows of that many tokens.
func (v *variant) windows(width int) func(dst, tokens []uint64) []uint64 {
	switch {
	case v.Fingerprint == XXHash64:
		return func(dst, tokens []uint64) []uint64 { return v.joined.append(dst, width, len(tokens)) }
	case v.rabin > 0:
		return rabin.NewWindows(rabin.Random(v.rabin, v.Seed), width).Append
	default:
		windows := shingle.NewWindows(width, v.Seed)
		return windows.Append
	}
}

// ByText reports whether the text of tokens is needed and not only their hashes: Add takes it.
func (v *variant) ByText() bool { return v != nil && v.joined != nil }

// Add adds the text of a token, before Take takes its hash.
func (v *variant) Add(term []byte) {
	if v.joined != nil {
		v.joined.add(term)
	}
}

// Take takes new tokens of a value, tokens[old:]. The tokens before them were taken already: the first
// shingles begin with them. chosen, if not nil, gets the fingerprints of the shingles that end in new
// tokens.
func (v *variant) Take(tokens []uint64, old int, chosen *passages) {
	shingles := v.shingles(v.prints[:0], tokens[from(old, v.Width):])
	if chosen != nil {
		v.chosen = v.mix(append(v.chosen[:0], shingles...)) // before copies are numbered
		chosen.Add(v.chosen)
	}
	added := v.add(shingles)
	distinct := !v.count && !v.log && v.weigh == nil
	features, tokens := shingles, tokens[from(old, v.SimhashWidth):]
	if v.Bag || v.SimhashWidth != v.Width {
		v.prints = v.mix(v.features(v.prints[:0], tokens))
		features = v.prints
	} else if distinct {
		v.sums.Simhash.Add(added)
		return
	}
	switch {
	case v.weigh != nil:
		v.countText(features, len(tokens))
	case distinct:
		v.sums.Simhash.Add(v.sums.Feats.Add(features))
	case v.log:
		v.sums.Simhash.Add(v.logarithmic(features))
	default:
		v.sums.Simhash.Add(features)
	}
}

// from is where the first window of that many tokens begins that ends at old or later.
func from(old, width int) int { return max(0, old-width+1) }

// Fingerprints appends the fingerprints of the shingles of tokens, as Take gives them to chosen.
func (v *variant) Fingerprints(dst, tokens []uint64) []uint64 { return v.mix(v.shingles(dst, tokens)) }

// add takes fingerprints of shingles into the set and the sketch, and returns the new ones.
func (v *variant) add(prints []uint64) []uint64 {
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
func (v *variant) number(prints []uint64) {
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

// countText counts features, which are those of the windows of the last n tokens.
func (v *variant) countText(features []uint64, n int) {
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

// Finish adds the features that weigh weighs, when the document has ended: only then is it known how often they occur.
func (v *variant) Finish() {
	if v == nil {
		return
	}
	for f, t := range v.terms {
		v.sums.Simhash.AddWeighted(f, v.weigh(v.texts[t.from:t.to], t.n))
	}
}

// logarithmic keeps a feature when it occurs for the 1st, 2nd, 4th, 8th ... time: of n
// occurrences it keeps 1+log2(n), rounded down.
func (v *variant) logarithmic(features []uint64) []uint64 {
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
func (v *variant) mix(prints []uint64) []uint64 {
	if v.rabin > 0 {
		for i, f := range prints {
			prints[i] = rabin.Mix(f)
		}
	}
	return prints
}

// Members returns the fingerprints of the distinct shingles so far, before they were mixed. They are valid
// until the next call.
func (v *variant) Members() []uint64 {
	if v.rabin == 0 {
		return v.sums.Set.Members()
	}
	v.raw = v.raw[:0]
	for _, f := range v.sums.Set.Members() {
		v.raw = append(v.raw, rabin.Unmix(f))
	}
	return v.raw
}

// Keep drops the text of all tokens but the last n.
func (v *variant) Keep(n int) {
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
func (v *variant) Reset() {
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
