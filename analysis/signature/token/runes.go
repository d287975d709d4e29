package token

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// hashes writes the hashes of the tokens of text to dst, rune by rune, from position from on, where no token is open.
// It goes on until dst is full or until it meets an ASCII space after which the text looks like ASCII again, or at the
// end of text. It returns the number of tokens and the position to go on from, where again no token is open.
//
// It stops before a run that must be normalised first, text[next:end]; normal says that text is a normal form, and has
// none. Otherwise end is 0.
func (k Key) hashes(dst []uint64, text []byte, from int, normal bool) (n, next, end int) {
	table := class.Table()
	w := openWord{stream: stream{Key: k}}
	var m class.Marks
	start := from
	seen := false // a byte above 0x7f
	for i := from; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = decode(text[i:])
			seen = true
		}
		c := class.At(table, r)
		if c&(class.Rewritten|class.Ordered) != 0 && !normal && m.Unordered(r, c, i, size) {
			if w.left == class.Other {
				start = i
			}
			return n, start, class.RunEnd(text, i+size)
		}
		if c == class.Invisible || w.take(r, c) {
			i += size
			continue
		}
		n = w.end(dst, n)
		found := 0
		if c == class.Ideograph {
			found, i = k.ideographs(dst[n:], text, i, table)
			n += found
		}
		if n == len(dst) {
			return n, i, 0
		}
		if found > 0 {
			continue
		}
		w.begin(r, c)
		start = i
		i += size
		if r <= ' ' && seen && plain(text[i:]) {
			return n, i, 0
		}
	}
	return w.end(dst, n), len(text), 0
}

// ideographs takes the tokens of a run of 3-byte ideographs from position i, all but the
// last, which can have marks. It returns the number of tokens and where the last ideograph
// begins. A number that needs no 3 bytes is no ideograph, so bytes that are not UTF-8 end a
// run.
func (k Key) ideographs(dst []uint64, text []byte, i int, table *[class.PlaneSize]class.Class) (n, next int) {
	for ; n < len(dst) && i+8 <= len(text); n++ {
		x := binary.LittleEndian.Uint64(text[i:])
		if x&0xc0c0f0c0c0f0 != 0x8080e08080e0 || table[three(x)] != class.Ideograph || table[three(x>>24)] != class.Ideograph {
			break
		}
		dst[n] = Fold(k.k0^x<<40, k.k1^3)
		i += 3
	}
	return n, i
}

// three returns the rune encoded in the lowest 3 bytes of x.
func three(x uint64) uint16 { return uint16(x<<12 | x>>2&0xfc0 | x>>16&0x3f) }

// decode is utf8.DecodeRune, with a faster way for runes of 2 and 3 bytes: the library
// takes three times as long.
func decode(p []byte) (r rune, size int) {
	if len(p) >= 4 {
		x := binary.LittleEndian.Uint32(p)
		if x&0xc0c0f0 == 0x8080e0 {
			r = rune(three(uint64(x)))
			if r >= 0x800 && (r < 0xd800 || r > 0xdfff) {
				return r, 3
			}
		} else if x&0xc0e0 == 0x80c0 {
			if r = rune(x&0x1f<<6 | x>>8&0x3f); r >= 0x80 {
				return r, 2
			}
		}
	}
	return utf8.DecodeRune(p)
}

// plain reports whether the next 32 bytes are ASCII, so that it pays to return to the path
// that works in blocks.
func plain(p []byte) bool {
	var high uint64
	for range 4 {
		if len(p) < 8 {
			break
		}
		high |= binary.LittleEndian.Uint64(p)
		p = p[8:]
	}
	return high&0x8080808080808080 == 0
}
