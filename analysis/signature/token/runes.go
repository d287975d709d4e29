package token

import (
	"encoding/binary"
	"unicode/utf8"
)

// runes scans rune by rune from position from, where no token is open, until dst is full or
// until it meets an ASCII space after which the text looks like ASCII again. It returns the
// number of tokens and the position to go on from, where again no token is open.
func (s *Scanner) runes(dst []uint64, from int) (n, next int) {
	table := bmp()
	w := word{stream: stream{key: s.key}}
	var m marks
	start := from
	seen := false // a byte above 0x7f
	for i := from; i < len(s.text); {
		r, size := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = decode(s.text[i:])
			seen = true
		}
		var c class
		if r < bmpRunes {
			c = table[r]
		} else {
			c = beyond(r)
		}
		if c&(rewritten|ordered) != 0 && !s.inside && m.unordered(r, c, i, size) {
			if w.left == other {
				start = i
			}
			s.enter(start, i)
			return n, 0
		}
		if c == invisible || w.take(r, c) {
			i += size
			continue
		}
		if w.end(dst[n:]) {
			s.size(1, w.n+w.in)
			n++
		}
		found := 0
		if c == ideograph {
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
		w.begin(r, c)
		start = i
		i += size
		if r <= ' ' && seen && plain(s.text[i:]) {
			return n, i
		}
	}
	if w.end(dst[n:]) {
		s.size(1, w.n+w.in)
		n++
	}
	return n, len(s.text)
}

// ideographs takes the tokens of a run of 3-byte ideographs from position i, all but the
// last, which can have marks. It returns the number of tokens and where the last ideograph
// begins. A number that needs no 3 bytes is no ideograph, so bytes that are not UTF-8 end a
// run.
func (s *Scanner) ideographs(dst []uint64, i int, table *[bmpRunes]class) (n, next int) {
	for ; n < len(dst) && i+8 <= len(s.text); n++ {
		x := binary.LittleEndian.Uint64(s.text[i:])
		if x&0xc0c0f0c0c0f0 != 0x8080e08080e0 || table[three(x)] != ideograph || table[three(x>>24)] != ideograph {
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
	end := runEnd(s.text, i+size)
	if cap(s.normal) > keepBytes {
		s.normal = nil
	}
	s.normal = s.form.Append(s.normal[:0], s.text[start:end], nil)
	s.outer, s.outerPos, s.inside = s.text, end, true
	s.text = s.normal
}
