package token

import (
	"encoding/binary"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// block is the number of bytes classified at once.
const block = 64

// Classifying one byte at a time by a table costs several instructions per byte. Here 64
// bytes are turned into eight bit planes, where plane j holds bit j of every byte. Each
// class of characters is then a formula of a few operations on whole planes, for 64
// characters at once (Cameron, "A case study in SIMD text processing with parallel bit
// streams", PPoPP 2008). None of this has a branch.
//
// The transposition leaves the planes in an order of its own: the byte at 8*i+b of the
// block is bit 8*b+i. Classes are computed in that order, and only the result is brought
// into the order of the text.

// findWords classifies len(masks) blocks, which begin at text[1]; text has one byte before
// them and one after them. It sets a bit of masks if the byte belongs to a word: a letter,
// digit or "_", or a character that joins two of these. It writes the bytes of the blocks
// to folded, with letters in lower case.
//
// It returns the number of blocks before the first one that has a byte above 0x7f or is
// followed by one, since that byte can decide what the last byte of the block is.
func findWords(masks []uint64, folded, text []byte) int {
	for i := range masks {
		p := (*[1 + block + 1]byte)(text[i*block:])
		word, high := classifyBlock(p, (*[block]byte)(folded[i*block:]))
		if high {
			return i
		}
		masks[i] = word
	}
	return len(masks)
}

// classifyBlock is findWords for one block, p[1:65].
func classifyBlock(p *[1 + block + 1]byte, folded *[block]byte) (word uint64, high bool) {
	a0, a1, a2, a3, a4, a5, a6, a7 := planes((*[block]byte)(p[1:]))

	// 0x41..0x5a and 0x61..0x7a; 0x30..0x39; 0x5f.
	letters := a6 & (a0 | a1 | a2 | a3 | a4) &^ (a4 & a3 & (a2 | a1&a0))
	digits := a5 & a4 &^ a6 &^ (a3 & (a2 | a1))
	under := a6 & a4 & a3 & a2 & a1 & a0 &^ a5
	// 0x27 and 0x2e; 0x2c; 0x3a and 0x3b.
	low := a5 &^ a6
	both := low & a2 & a1 & (a0 ^ a3) &^ a4
	comma := low & a3 & a2 &^ (a4 | a1 | a0)
	colons := low & a4 & a3 & a1 &^ a2

	midLetters := both | colons&^a0
	midDigits := both | comma | colons&a0
	join := midLetters&previous(letters)&following(letters) | midDigits&previous(digits)&following(digits)
	if (midLetters|midDigits)&(1|1<<63) != 0 {
		join |= joinsAt(p, 1) | joinsAt(p, block)<<63
	}

	const bit = 0x20 * ones
	le := binary.LittleEndian
	le.PutUint64(folded[0:], le.Uint64(p[1:])|letters<<5&bit)
	le.PutUint64(folded[8:], le.Uint64(p[9:])|letters<<4&bit)
	le.PutUint64(folded[16:], le.Uint64(p[17:])|letters<<3&bit)
	le.PutUint64(folded[24:], le.Uint64(p[25:])|letters<<2&bit)
	le.PutUint64(folded[32:], le.Uint64(p[33:])|letters<<1&bit)
	le.PutUint64(folded[40:], le.Uint64(p[41:])|letters&bit)
	le.PutUint64(folded[48:], le.Uint64(p[49:])|letters>>1&bit)
	le.PutUint64(folded[56:], le.Uint64(p[57:])|letters>>2&bit)
	return transpose(letters | digits | under | join), a7 != 0 || p[1+block] >= 0x80
}

// previous and following return, for every character, the bit that x has for the character
// before it or after it in the text, and 0 at the ends of the block.
func previous(x uint64) uint64  { return x<<8 | x>>55&0xfe }
func following(x uint64) uint64 { return x>>8 | x&0xfe<<55 }

// joinsAt returns 1 if p[i] joins the two letters or two digits around it.
func joinsAt(p *[1 + block + 1]byte, i int) uint64 {
	left := class.ASCII[p[i-1]]
	if left == class.ASCII[p[i+1]] && class.ASCII[p[i]].Joins(left) {
		return 1
	}
	return 0
}

// planes returns the bit planes of the 64 bytes of p. It transposes eight matrices of 8x8
// bits at once, each of which has one byte in every word (Warren, Hacker's Delight, 7-3).
func planes(p *[block]byte) (a0, a1, a2, a3, a4, a5, a6, a7 uint64) {
	a0 = binary.LittleEndian.Uint64(p[0:])
	a1 = binary.LittleEndian.Uint64(p[8:])
	a2 = binary.LittleEndian.Uint64(p[16:])
	a3 = binary.LittleEndian.Uint64(p[24:])
	a4 = binary.LittleEndian.Uint64(p[32:])
	a5 = binary.LittleEndian.Uint64(p[40:])
	a6 = binary.LittleEndian.Uint64(p[48:])
	a7 = binary.LittleEndian.Uint64(p[56:])

	a0, a4 = swap(a0, a4, 4, 0x0f*ones)
	a2, a6 = swap(a2, a6, 4, 0x0f*ones)
	a0, a2 = swap(a0, a2, 2, 0x33*ones)
	a4, a6 = swap(a4, a6, 2, 0x33*ones)
	a1, a5 = swap(a1, a5, 4, 0x0f*ones)
	a3, a7 = swap(a3, a7, 4, 0x0f*ones)
	a1, a3 = swap(a1, a3, 2, 0x33*ones)
	a5, a7 = swap(a5, a7, 2, 0x33*ones)
	a0, a1 = swap(a0, a1, 1, 0x55*ones)
	a2, a3 = swap(a2, a3, 1, 0x55*ones)
	a4, a5 = swap(a4, a5, 1, 0x55*ones)
	a6, a7 = swap(a6, a7, 1, 0x55*ones)
	return
}

// swap exchanges the bits of x above mask<<by and the bits of y in mask.
func swap(x, y uint64, by int, mask uint64) (uint64, uint64) {
	t := (x>>by ^ y) & mask
	return x ^ t<<by, y ^ t
}

// transpose turns an 8x8 bit matrix, byte by byte, on its diagonal (ibid.).
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}
