//go:build !purego

package token

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/cpu"
)

// lists is what hashRunAVX512 finds out about words: where they begin and end, in turns,
// counted from s.base, and a bit for each word that is odd.
type lists struct {
	edges [1 + run*block + block]uint16 // the last ones are spare room for writes
	odd   [run*block/2/64 + 2]uint64
}

// hashRunAVX512 hashes the words that end in the next blocks, one or more. It returns the
// number of edges in s.lists; if a word is open, the caller has put its start there as the
// first. The hashes of odd words have no meaning. It writes up to 7 hashes too many.
//
//go:noescape
func hashRunAVX512(s *Scanner, dst *uint64, blocks int) (edges int)

// words writes the hashes of the words that end in the classified blocks, until dst is
// full, and returns their number.
func (s *Scanner) words(dst []uint64) int {
	if !cpu.AVX512 || s.sizes != nil {
		return s.byBlock(dst)
	}
	n := 0
	for s.next < s.have && len(dst)-n >= MaxBlock {
		n += s.byRun(dst[n:])
	}
	return n
}

// byRun is byBlock for as many blocks as there is surely room for: at most half of their bytes
// end a word, and an open word can end in the first. It lists the edges of all their words
// before it hashes words, eight at a time. How many words end in a block
// cannot be predicted, so a loop over the words of one block ends in a mispredicted branch.
// Without AVX-512 to list the edges and hash the words, this costs more than it saves.
func (s *Scanner) byRun(dst []uint64) int {
	edges := &s.lists.edges
	if s.open != 0 {
		edges[0] = uint16(max(s.start-s.base, -short-1)) // long words are odd, whatever their size
	}
	blocks := min(s.have-s.next, (len(dst)-7)/(block/2+1))
	n := hashRunAVX512(s, &dst[0], blocks)
	s.next += blocks

	found := n / 2
	for k := (found+63)/64 - 1; k >= 0; k-- {
		for odd := s.lists.odd[k]; odd != 0; odd &^= 1 << (bits.Len64(odd) - 1) {
			i := 64*k + bits.Len64(odd) - 1
			start, end := int(edges[2*i]), int(edges[2*i+1])
			if i == 0 && s.open != 0 {
				start = s.start - s.base
			}
			found = i + s.odd(dst[i:found], start, end)
		}
	}
	if n&1 != 0 && (n > 1 || s.open == 0) {
		s.start = s.base + int(edges[n-1])
	}
	s.open = uint64(n & 1)
	return found
}

// hashBlocks is byBlock up to the first block that has odd words: see hashBlocksGo.
func (s *Scanner) hashBlocks(dst []uint64) (n, first int, odd uint64) {
	if !cpu.AVX2 {
		return s.hashBlocksGo(dst)
	}
	return hashBlocksBMI(s, &dst[0], len(dst))
}

// hashBlocksBMI is hashBlocksGo, with room for that many hashes at dst. It is faster than the
// compiler's code because it uses registers better.
//
//go:noescape
func hashBlocksBMI(s *Scanner, dst *uint64, room int) (n, first int, odd uint64)
