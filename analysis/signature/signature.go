// Package signature makes, compares and stores signatures. A signature is what is kept of a
// document in order to say whether another document is a near-duplicate of it.
//
// The package has a few types. A [Signature] holds a MinHash sketch (100 lanes), a 64-bit
// simhash, a hash of the whole normalised text, and counts. A [Maker] makes a Signature
// with [Params] in one pass over the text; its memory grows with the number of distinct
// shingles and with nothing else. A [Rule] compares two Signatures and returns a [Match].
//
//	a := signature.Of(params, []byte("..."))
//	b := signature.Of(params, []byte("..."))
//	match, ok := signature.Rule{}.Match(&a, &b)
//
// FORMAT.md in this folder specifies what is stored, from text to bytes, for other programs.
//
// Each step has a package of its own: token (text to token hashes), shingle (fingerprints
// of w tokens, the set of them, and what two texts share), sketch (lanes, their bands, estimates),
// simhash, and winnow (selected fingerprints, for passages). None of them imports bleve.
//
// # What is promised
//
// Texts that differ only in letter case, white space and the punctuation between words have
// equal signatures. Each lane of the sketch agrees with a probability equal to the
// resemblance of the two sets of shingles. So ">= 90 of 100 lanes" accepts a pair of
// resemblance .95 with probability .99 and a pair of .8 with .006 or less. A paraphrase, a
// translation or a text with OCR errors in every line has few shingles in common with its
// original, and is not found.
//
// Package analysis/classic makes the other sketches of the literature from the same fingerprints.
package signature

import (
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Signature is what is kept of one document. The zero Signature stands for a document
// without any token: it matches nothing.
type Signature struct {
	// Params is the Params.ID of the parameters it was made with.
	Params uint32

	// Exact is a 64-bit hash of the normalised tokens in order. If the document has several
	// values, their order does not matter. 0 means no token.
	Exact uint64

	// Simhash is the 64-bit simhash of the features, which are shingles of
	// Params.SimhashWidth tokens. 0 means no feature.
	Simhash uint64

	// Tokens is the number of tokens. Shingles is the number of distinct shingles, or of
	// all shingles with Params.Bag. A text shorter than a shingle has none, and matches by
	// Exact alone.
	Tokens, Shingles uint64

	// Lanes is the number of lanes of Sketch, 0 if there are no shingles.
	Lanes int

	// Sketch is the MinHash sketch.
	Sketch sketch.Sketch
}

// alike reports whether a and b were made with the same parameters. Nil was not made.
func alike(a, b *Signature) bool {
	return a != nil && b != nil && a.Params == b.Params && (a.Lanes == b.Lanes || a.Lanes == 0 || b.Lanes == 0)
}

// Resemblance estimates the resemblance of two documents from the lanes of their signatures. It is exactly 1 if
// their exact hashes agree. ok is false if there is nothing to estimate from: s and b were
// made with different parameters, or one text is shorter than a shingle and the other text
// differs from it.
//
// The standard error is 0 only if the exact hashes agree: if all lanes agree, or none does, it is
// sketch.Unanimous.
func (s *Signature) Resemblance(b *Signature) (r sketch.Estimate, ok bool) {
	if !alike(s, b) || s.Tokens == 0 || b.Tokens == 0 {
		return r, false
	}
	if s.Exact == b.Exact {
		return sketch.Estimate{Value: 1}, true
	}
	if s.Lanes == 0 || b.Lanes == 0 {
		return r, false
	}
	r = sketch.Resemblance(s.Sketch, b.Sketch, s.Lanes, s.Shingles, b.Shingles)
	if r.Value == 0 || r.Value == 1 {
		r.StdErr = sketch.Unanimous(s.Lanes)
	}
	return r, true
}

// Containment estimates the share of each document's shingles that the other document has
// too, from their resemblance and the numbers of their shingles. It is exactly 1 if their
// exact hashes agree. ok is the same as for Resemblance.
func (s *Signature) Containment(b *Signature) (aInB, bInA sketch.Estimate, ok bool) {
	r, ok := s.Resemblance(b)
	if !ok || s.Exact == b.Exact {
		return r, r, ok
	}
	aInB, bInA = r.Containment(s.Shingles, b.Shingles)
	return aInB, bInA, true
}
