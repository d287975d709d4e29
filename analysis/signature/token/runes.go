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
	w := word{stream: stream{key: s.key}}
	seen := false // a byte above 0x7f
	for i := from; i < len(s.text); {
		r, size := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s.text[i:])
			seen = true
		}
		var c class
		if r < bmpRunes {
			c = table[r]
		} else {
			c = classify(r)
		}
		if c == invisible || w.take(r, c) {
			i += size
			continue
		}
		if w.end(dst[n:]) {
			n++
			if n == len(dst) {
				return n, i
			}
		}
		w.begin(r, c)
		i += size
		if r <= ' ' && seen && plain(s.text[i:]) {
			return n, i
		}
	}
	if w.end(dst[n:]) {
		n++
	}
	return n, len(s.text)
}

// word is the token that is open.
type word struct {
	stream
	left    class // of its last rune; other if no token is open
	pending rune  // a mid rune behind it, waiting for what follows
	solid   bool  // it has something besides connectors
}

// begin starts a token with r, if r can start one.
func (w *word) begin(r rune, c class) {
	w.left, w.pending = other, 0
	if kind := c & classMask; isWord(kind) || kind == ideograph {
		w.reset()
		w.rune(r, c)
		w.left = kind
		w.solid = kind != connector
	}
}

// end writes the hash of the token that is open, if there is one, and closes it.
func (w *word) end(dst []uint64) bool {
	found := w.left != other && w.solid
	if found {
		dst[0] = w.sum()
	}
	w.left = other
	return found
}

// take adds r to the token and reports whether it belongs there.
func (w *word) take(r rune, c class) bool {
	kind := c & classMask
	switch {
	case w.left == other:
		return false
	case w.pending != 0:
		if kind != w.left {
			return false
		}
		w.rune(w.pending, other)
		w.pending = 0
	case kind == mark:
		w.rune(r, c)
		return true
	case kind.joins(w.left):
		w.pending = foldMid(r)
		return true
	case !isWord(kind) || !isWord(w.left):
		return false
	}
	w.rune(r, c)
	w.left = kind
	w.solid = w.solid || kind != connector
	return true
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
