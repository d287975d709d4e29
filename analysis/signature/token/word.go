package token

// word is a token that is found rune by rune.
type word struct {
	stream
	left    class // class of its last rune; other if no token is open
	pending rune  // a mid rune after it that waits for the next rune
	solid   bool  // it has something other than connectors
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

// end closes the open token, if there is one, and writes its hash.
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
		if !kind.joined(w.left, w.pending) {
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
