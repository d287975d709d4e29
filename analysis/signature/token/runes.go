package token

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/word"
)

// runes scans rune by rune from position from, where no token is open, until dst is full or
// until it meets an ASCII space after which the text looks like ASCII again. It returns the
// number of tokens and the position to go on from, where again no token is open.
func (s *Scanner) runes(dst []uint64, from int) (n, next int) {
	table := class.Table()
	w := word.New(s.key.k0, s.key.k1)
	var m class.Marks
	start := from
	seen := false // a byte above 0x7f
	for i := from; i < len(s.text); {
		r, size := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = decode(s.text[i:])
			seen = true
		}
		c := class.At(table, r)
		if c&(class.Rewritten|class.Ordered) != 0 && !s.inside && m.Unordered(r, c, i, size) {
			if w.Left == class.Other {
				start = i
			}
			s.enter(start, i)
			return n, 0
		}
		if c == class.Invisible || w.Take(r, c) {
			i += size
			continue
		}
		if w.End(dst[n:]) {
			s.size(1, w.Size())
			n++
		}
		found := 0
		if c == class.Ideograph {
			found, i = s.ideographs(dst[n:], i, table)
			s.size(found, 3)
			n += found
		}
		if n == len(dst) {
			return n, i
		}
		if found > 0 {
			continue
		}
		w.Begin(r, c)
		start = i
		i += size
		if r <= ' ' && seen && plain(s.text[i:]) {
			return n, i
		}
	}
	if w.End(dst[n:]) {
		s.size(1, w.Size())
		n++
	}
	return n, len(s.text)
}

// ideographs takes the tokens of a run of 3-byte ideographs from position i, all but the
// last, which can have marks. It returns the number of tokens and where the last ideograph
// begins. A number that needs no 3 bytes is no ideograph, so bytes that are not UTF-8 end a
// run.
func (s *Scanner) ideographs(dst []uint64, i int, table *[class.PlaneSize]class.Class) (n, next int) {
	for ; n < len(dst) && i+8 <= len(s.text); n++ {
		x := binary.LittleEndian.Uint64(s.text[i:])
		if x&0xc0c0f0c0c0f0 != 0x8080e08080e0 || table[three(x)] != class.Ideograph || table[three(x>>24)] != class.Ideograph {
			break
		}
		dst[n] = Fold(s.key.k0^x<<40, s.key.k1^3)
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
	return high&tops == 0
}

// enter makes s scan the normal form of the text from start to its run's end, in which i
// is, before it goes on.
func (s *Scanner) enter(start, i int) {
	_, size := utf8.DecodeRune(s.text[i:])
	end := class.RunEnd(s.text, i+size)
	if cap(s.normal) > keepBytes {
		s.normal = nil
	}
	s.normal = s.form.Append(s.normal[:0], s.text[start:end], nil)
	s.outer, s.outerPos, s.inside = s.text, end, true
	s.text = s.normal
}
