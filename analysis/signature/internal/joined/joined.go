// Package joined makes fingerprints of shingles from the text of their tokens, for
// signature.XXHash64 and for features whose weight is a function of their text.
package joined

import "github.com/cespare/xxhash/v2"

// Text makes fingerprints from the text of the tokens instead of their hashes: xxHash64
// of the w tokens joined by one space. With seed 0 any other implementation of xxHash64
// gives the same numbers for the same words, so shingles can be compared with those of
// other programs.
//
// The tokens are kept one after another in a buffer, each followed by a space, so every
// shingle is a slice of the buffer and needs no copy. A token that contains a space (this
// module's tokenizer makes none) looks like two tokens.
//
// A Text needs memory for the text of the tokens it keeps. It is not safe for concurrent
// use.
type Text struct {
	digest xxhash.Digest
	seed   uint64
	text   []byte
	starts []int // of the tokens; the last is where the next token will start
}

// New returns an empty Text; seed is the seed of xxHash64.
func New(seed uint64) *Text { return &Text{seed: seed, starts: []int{0}} }

// Add appends a copy of one token.
func (j *Text) Add(token []byte) {
	j.text = append(append(j.text, token...), ' ')
	j.starts = append(j.starts, len(j.text))
}

// Append appends to dst the fingerprint of every window of width tokens in the last n
// tokens: n-width+1 fingerprints, or none.
func (j *Text) Append(dst []uint64, width, n int) []uint64 {
	starts := j.starts[len(j.starts)-1-n:]
	for i := width; i < len(starts); i++ {
		dst = append(dst, j.hash(j.text[starts[i-width]:starts[i]-1]))
	}
	return dst
}

// Window returns the text of window i of width tokens in the last n tokens, windows being counted
// from 0. It is valid until the next call of Add or Keep.
func (j *Text) Window(width, n, i int) []byte {
	starts := j.starts[len(j.starts)-1-n+i:]
	return j.text[starts[0] : starts[width]-1]
}

func (j *Text) hash(shingle []byte) uint64 {
	if j.seed == 0 {
		return xxhash.Sum64(shingle)
	}
	j.digest.ResetWithSeed(j.seed)
	j.digest.Write(shingle)
	return j.digest.Sum64()
}

// Keep drops all tokens but the last n.
func (j *Text) Keep(n int) {
	starts := j.starts[len(j.starts)-1-n:]
	first := starts[0]
	if cap(j.text) > keepText {
		j.text = append([]byte(nil), j.text[first:]...)
	} else {
		j.text = j.text[:copy(j.text, j.text[first:])]
	}
	j.starts = j.starts[:copy(j.starts, starts)]
	for i := range j.starts {
		j.starts[i] -= first
	}
}

// keepText is the most memory for text that is kept after long tokens.
const keepText = 1 << 16
