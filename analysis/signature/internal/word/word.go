// Package word finds and hashes tokens rune by rune, for text that is not ASCII: a [Word] is one token,
// [Hashes] finds the tokens of a text.
package word

import "github.com/neardup/bleve-neardup/analysis/signature/internal/class"

// Word is a token that is found rune by rune.
type Word struct {
	stream
	Left    class.Class // kind of its last rune, to the left of the next one; class.Other if no token is open
	Pending rune        // a rune after it that joins it only if the next rune fits, such as "'"; 0 if there is none
	Solid   bool        // it has something other than connectors
}

// New returns a Word that is hashed with the constants of a token.Key. The zero Word is for code that needs
// no hash.
func New(k0, k1 uint64) Word { return Word{stream: stream{k0: k0, k1: k1}} }

// Begin starts a token with r, if r can start one.
func (w *Word) Begin(r rune, c class.Class) {
	w.Left, w.Pending = class.Other, 0
	if kind := c & class.Mask; class.IsWord(kind) || kind == class.Ideograph {
		w.reset()
		w.rune(r, c)
		w.Left = kind
		w.Solid = kind != class.Connector
	}
}

// End closes the open token. If there is one, it writes its hash to dst[n], and to sizes[n] how many folded bytes
// it has unless sizes is nil, and returns n+1, else n.
func (w *Word) End(dst []uint64, sizes []uint32, n int) int {
	if w.Left != class.Other && w.Solid {
		dst[n] = w.sum()
		if sizes != nil {
			sizes[n] = uint32(w.n + w.in)
		}
		n++
	}
	w.Left = class.Other
	return n
}

// Take adds r to the open token, if it belongs there, and reports that.
func (w *Word) Take(r rune, c class.Class) bool {
	kind := c & class.Mask
	switch {
	case w.Left == class.Other:
		return false
	case w.Pending != 0:
		if !kind.Joined(w.Left, w.Pending) {
			return false
		}
		w.rune(w.Pending, class.Other)
		w.Pending = 0
	case kind == class.Mark:
		w.rune(r, c)
		return true
	case kind.Joins(w.Left):
		w.Pending = class.FoldMid(r)
		return true
	case !class.IsWord(kind) || !class.IsWord(w.Left):
		return false
	}
	w.rune(r, c)
	w.Left = kind
	w.Solid = w.Solid || kind != class.Connector
	return true
}
