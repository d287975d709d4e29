// Package signature makes, compares and stores signatures: what is kept of a
// document to tell whether another is a near-duplicate of it.
//
// A [Signature] holds a MinHash sketch (100 lanes), a 64-bit simhash, a hash of
// the whole normalised text, and counts. A [Maker] makes it in one pass over the
// text, in memory that grows with the number of distinct shingles and nothing
// else. A [Rule] decides over two of them.
//
//	a := signature.Of(params, []byte("..."))
//	b := signature.Of(params, []byte("..."))
//	match, ok := signature.DefaultRule().Match(&a, &b)
//
// The steps stand in packages of their own: token (text to token hashes), shingle
// (fingerprints of w tokens, and the set of them), rabin (another kind of
// fingerprints), sketch, simhash, and band (candidate keys). None of them knows
// bleve.
//
// # What is promised
//
// Texts that differ only in letter case, white space and the punctuation between
// words have equal signatures. Each lane of the sketch agrees with a probability equal to
// the resemblance of the two sets of shingles, so ">= 90 of 100 lanes" accepts a
// pair of resemblance .95 with probability .99 and one of .8 with .006 or less.
// A paraphrase, a translation or a text with OCR errors in every line has few
// shingles in common with its original, and is not found.
//
// # Other sketches
//
// The packages minwise, bottom, modm and supershingle make the classic sketches of
// the same fingerprints, for those who want them. All of them, and signatures, are
// estimated from with package resemblance and stored with package codec.
package signature

import "github.com/neardup/bleve-neardup/analysis/signature/sketch"

// Signature is what is kept of one document. The zero Signature is that of a
// document without any token: it matches nothing.
type Signature struct {
	// Params is the Params.ID of the parameters it was made with.
	Params uint32

	// Exact is a 64-bit hash of the normalised tokens in order; of several values
	// it does not depend on the order of the values. 0 means no token.
	Exact uint64

	// Simhash is the 64-bit simhash over the features, which are shingles of
	// Params.SimhashWidth tokens; 0 stands for no feature.
	Simhash uint64

	// Tokens is the number of tokens, Shingles that of distinct shingles, or with
	// Params.Bag of all. Texts shorter than a shingle have none, and match by Exact
	// alone.
	Tokens, Shingles uint64

	// Lanes is the number of lanes of Sketch: 0 if there are no shingles.
	Lanes int

	// Sketch is the MinHash sketch.
	Sketch sketch.Sketch
}

// alike reports whether a and b were made with the same parameters.
func alike(a, b *Signature) bool {
	return a.Params == b.Params && (a.Lanes == b.Lanes || a.Lanes == 0 || b.Lanes == 0)
}
