package signature

import (
	"cmp"

	"github.com/neardup/bleve-neardup/analysis/signature/rabin"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// variant is what a Maker does differently if Letters, Fingerprint, Bag or SimhashWeight ask for it,
// in this order:
//
//	fingerprints ─► copies numbered, if a bag ─► mixed, if Rabin's ─► set ─► sketch
//	fingerprints ─► mixed, if Rabin's ─► features weighed ─► simhash
//
// The default parameters need no variant and none of these steps.
type variant struct {
	// shingles and features append the fingerprints of the windows of all tokens.
	shingles, features func(dst, tokens []uint64) []uint64

	joined  *shingle.Joined // the text of the tokens, for XXHash64 and for weigh
	weigh   WeightFunc      // nil unless features have weights by a function
	letters *letters        // makes the shingles in place of the function shingles, for Letters
	words   token.Words

	// Rabin fingerprints are mixed before any step that needs random numbers. unused is the
	// number of their upper bits that are 0.
	mixes  bool
	unused int
	raw    []uint64

	bag    bool
	copies shingle.Counts // of shingles
	counts shingle.Counts // of features, for WeightLog and for weigh
}

// newVariant returns the variant for valid parameters, or nil if they need none.
func newVariant(p Params) *variant {
	kind := cmp.Or(p.Fingerprint, Polynomial)
	weigh := p.SimhashWeight.Function()
	if kind == Polynomial && !p.Bag && p.SimhashWeight != WeightLog && weigh == nil && p.Letters == 0 {
		return nil
	}
	v := &variant{bag: p.Bag, weigh: weigh}
	if weigh != nil {
		v.joined = shingle.NewJoined(p.Seed)
	}
	if p.Letters > 0 {
		v.letters = newLetters(p)
	}
	switch kind {
	case XXHash64:
		v.joined = shingle.NewJoined(p.Seed)
		windows := func(width int) func(dst, tokens []uint64) []uint64 {
			return func(dst, tokens []uint64) []uint64 { return v.joined.Append(dst, width, len(tokens)) }
		}
		v.shingles, v.features = windows(p.Width), windows(p.SimhashWidth)
	case Rabin64, Rabin40:
		degree := degreeOf(kind)
		f := rabin.New(rabin.Random(degree, p.Seed))
		shingles, features := f.Windows(p.Width), f.Windows(p.SimhashWidth)
		v.shingles, v.features = shingles.Append, features.Append
		v.mixes, v.unused = true, 64-degree
	default:
		shingles, features := shingle.NewWindows(p.Width, p.Seed), shingle.NewWindows(p.SimhashWidth, p.Seed)
		v.shingles, v.features = shingles.Append, features.Append
	}
	return v
}

// degreeOf returns the degree of the polynomial of a Rabin fingerprint.
func degreeOf(kind Fingerprint) int {
	if kind == Rabin40 {
		return 40
	}
	return 64
}

// byText reports whether the text of tokens is needed and not only their hashes.
func (v *variant) byText() bool { return v != nil && (v.joined != nil || v.letters != nil) }

// keep drops the text of all tokens but the last n, and of all letters at the end of a value.
func (v *variant) keep(n int, endValue bool) {
	if v == nil {
		return
	}
	if v.joined != nil {
		v.joined.Keep(n)
	}
	if v.letters != nil && endValue {
		v.letters.endValue()
	}
}

// number gives every copy of a fingerprint after the first a fingerprint of its own: a
// pseudo-random number of as many bits.
func (v *variant) number(prints []uint64) {
	for i, f := range prints {
		if n := v.copies.Next(f); n > 1 {
			prints[i] = token.Mix(f, n) >> v.unused
		}
	}
}

// weighed counts each distinct feature with its weight. The features are those of the windows of
// width tokens in the last n tokens.
func (v *variant) weighed(c *simhash.Counter, features []uint64, width, n int) {
	for i, f := range features {
		if v.counts.Next(f) == 1 {
			c.AddWeighted(f, v.weigh(v.joined.Text(width, n, i)))
		}
	}
}

// logarithmic keeps a feature when it occurs for the 1st, 2nd, 4th, 8th ... time: of n
// occurrences it keeps 1+log2(n), rounded down.
func (v *variant) logarithmic(features []uint64) []uint64 {
	kept := features[:0]
	for _, f := range features {
		if n := v.counts.Next(f); n&(n-1) == 0 {
			kept = append(kept, f)
		}
	}
	return kept
}

func (v *variant) mix(prints []uint64) {
	if v.mixes {
		for i, f := range prints {
			prints[i] = rabin.Mix(f)
		}
	}
}

// unmixed returns fingerprints as they were before mix.
func (v *variant) unmixed(mixed []uint64) []uint64 {
	if !v.mixes {
		return mixed
	}
	v.raw = v.raw[:0]
	for _, f := range mixed {
		v.raw = append(v.raw, rabin.Unmix(f))
	}
	return v.raw
}

func (v *variant) reset() {
	if v == nil {
		return
	}
	v.copies.Reset()
	v.counts.Reset()
	v.raw = nil
	v.keep(0, true)
}
