package token

import (
	"encoding/binary"
	"unicode/utf8"
)

// runes scans rune by rune from position from, where no token is open, until dst
// is full or an ASCII space is met behind which the text looks like ASCII again.
// It returns the number of tokens and the position to go on from, where again
// none is open.
func (s *Scanner) runes(dst []uint64, from int) (n, next int) {
	table := bmp()
	var (
		tok     = stream{key: s.key}
		left    = other // class of the last rune of the open token; other if none is open
		pending rune    // a mid rune after left, waiting for what follows
		seen    bool    // a byte above 0x7f was met
	)
	tok.reset()
	text := s.text
	for i := from; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
			seen = true
		}
		var c class
		if r < bmpRunes {
			c = table[r]
		} else {
			c = classify(r)
		}
		if c == invisible {
			i += size
			continue
		}
		switch kind := c & classMask; {
		case kind == mark && left != other && pending == 0:
			tok.rune(r, c)
			i += size
			continue
		case pending == 0 && kind.joins(left):
			pending = foldMid(r)
			i += size
			continue
		case pending != 0 && kind == left:
			tok.rune(pending, other)
			pending = 0
			fallthrough
		case pending == 0 && isWord(kind) && isWord(left):
			tok.rune(r, c)
			left = kind
			i += size
			continue
		default:
			if left != other {
				dst[n] = tok.sum()
				n++
				if n == len(dst) {
					return n, i
				}
				tok.reset()
			}
			left, pending = other, 0
			if isWord(kind) || kind == ideograph {
				tok.rune(r, c)
				left = kind
			}
		}
		i += size
		if r <= ' ' && seen && plain(text[i:]) {
			return n, i
		}
	}
	if left != other {
		dst[n] = tok.sum()
		n++
	}
	return n, len(text)
}

func isWord(c class) bool { return c == letter || c == digit || c == connector }

// plain reports whether the next 32 bytes are ASCII: whether going back to the
// block-wise path is worth it.
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

// rune appends r, folded if its class says so.
func (s *stream) rune(r rune, c class) {
	if c&folds != 0 {
		r = fold(r)
	}
	if r < utf8.RuneSelf {
		s.write([]byte{byte(r)})
		return
	}
	var b [utf8.UTFMax]byte
	s.write(b[:utf8.EncodeRune(b[:], r)])
}
