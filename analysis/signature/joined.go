package signature

import "github.com/cespare/xxhash/v2"

// joined makes fingerprints from the text of the tokens instead of their hashes: xxHash64
// of the w tokens joined by one space. With seed 0 any other implementation of xxHash64
// gives the same numbers for the same words, so shingles can be compared with those of
// other programs.
//
// The tokens are kept one after another in a buffer, each followed by a space, so every
// shingle is a slice of the buffer and needs no copy. A token that contains a space (this
// module's tokenizer makes none) looks like two tokens.
//
// It needs memory for the text of the tokens it keeps. It is not safe for concurrent
// use.
type joined struct {
	digest xxhash.Digest
	seed   uint64
	text   []byte
	starts []int // of the tokens; the last is where the next token will start
}

// add appends a copy of one token.
func (j *joined) add(token []byte) {
	j.text = append(append(j.text, token...), ' ')
	j.starts = append(j.starts, len(j.text))
}

// append appends to dst the fingerprint of every window of width tokens in the last n
// tokens: n-width+1 fingerprints, or none.
func (j *joined) append(dst []uint64, width, n int) []uint64 {
	starts := j.starts[len(j.starts)-1-n:]
	for i := width; i < len(starts); i++ {
		dst = append(dst, j.hash(j.text[starts[i-width]:starts[i]-1]))
	}
	return dst
}

// window returns the text of window i of width tokens in the last n tokens, windows being counted
// from 0. It is valid until the next call of add or keep.
func (j *joined) window(width, n, i int) []byte {
	starts := j.starts[len(j.starts)-1-n+i:]
	return j.text[starts[0] : starts[width]-1]
}

func (j *joined) hash(shingle []byte) uint64 {
	if j.seed == 0 {
		return xxhash.Sum64(shingle)
	}
	j.digest.ResetWithSeed(j.seed)
	j.digest.Write(shingle)
	return j.digest.Sum64()
}

// keep drops all tokens but the last n.
func (j *joined) keep(n int) {
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
