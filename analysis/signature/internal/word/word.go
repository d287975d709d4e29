// Package word finds and hashes a token rune by rune, for text that is not ASCII: see [Word].
package word

import "github.com/neardup/bleve-neardup/analysis/signature/internal/class"

// Word is a token that is found rune by rune.
type Word struct {
	stream
	Left    class.Class // class of its last rune; other if no token is open
	Pending rune        // a mid rune after it that waits for the next rune
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

// End closes the open token, if there is one, and writes its hash.
func (w *Word) End(dst []uint64) bool {
	found := w.Left != class.Other && w.Solid
	if found {
		dst[0] = w.sum()
	}
	w.Left = class.Other
	return found
}

// Take adds r to the token and reports whether it belongs there.
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
