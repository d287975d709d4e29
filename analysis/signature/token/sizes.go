package token

import (
	"bytes"
	"math/bits"
)

// NextSized is Next that also writes the size of each token to sizes: the number of
// its folded bytes. sizes must be as long as dst.
//
// Sizes are told by the same masks that hashing goes by, in a second look at them,
// so that Next takes no longer.
func (s *Scanner) NextSized(dst []uint64, sizes []uint32) int {
	s.sizes = sizes[:len(dst)]
	n := s.Next(dst)
	s.sizes = nil
	return n
}

// size notes the size of the next n tokens.
func (s *Scanner) size(n, bytes int) {
	if s.sizes == nil {
		return
	}
	for i := range s.sizes[:n] {
		s.sizes[i] = uint32(bytes)
	}
	s.sizes = s.sizes[n:]
}

// measure notes the sizes of the words that end in the blocks from from to s.next,
// given whether a word was open before, and where it started.
func (s *Scanner) measure(from int, open uint64, start int) {
	sizes, n := s.sizes, 0
	for ; from < s.next; from++ {
		at := s.base + from*block
		word := s.masks[from]
		edges := word ^ (word<<1 | open)
		if open == 0 {
			start = at + bits.TrailingZeros64(edges)
			edges &= edges - 1
		}
		open = word >> 63
		for edges != 0 {
			end := at + bits.TrailingZeros64(edges)
			edges &= edges - 1
			if s.text[start] != '_' || len(bytes.TrimLeft(s.text[start:end], "_")) > 0 {
				sizes[n] = uint32(end - start)
				n++
			}
			start = at + bits.TrailingZeros64(edges)
			edges &= edges - 1
		}
	}
	s.sizes = sizes[n:]
}
