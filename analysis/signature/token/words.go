package token

import "unicode/utf8"

// Words finds the same tokens as a Scanner and returns their folded text. It is for code
// that shows tokens or hashes them its own way. It goes rune by rune, at a fraction of the
// Scanner's speed, and needs memory for the longest token. The zero Words is at the end of
// its text. A Words is not safe for concurrent use.
type Words struct {
	text       []byte
	buf        []byte
	size       int // of the whole text
	start, end int // of the last token
}

// Reset makes w scan text. It does not change text.
func (w *Words) Reset(text []byte) { w.text, w.size = text, len(text) }

// Place returns where the last token was found: in the bytes of the text from start until
// before end.
func (w *Words) Place() (start, end int) { return w.start, w.end }

// Next returns the folded text of the next token, valid until the next call, or nil at the
// end.
//
// The type word decides where a token begins and ends, as in a Scanner. How a rune is
// folded depends on no other rune.
func (w *Words) Next() []byte {
	if found := w.plain(); found != nil {
		return found
	}
	table := bmp()
	var open word
	start, end := 0, 0
	for i := 0; i < len(w.text); {
		r, size := rune(w.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(w.text[i:])
		}
		c := classOf(table, r)
		switch {
		case c == invisible:
		case c&classMask == open.left && isWord(open.left) && open.pending == 0:
			end = i + size // one more rune of the same class: word would only hash it
		case open.take(r, c):
			if open.pending == 0 {
				end = i + size
			}
		case open.left != other && open.solid:
			found := w.found(start, end)
			w.text = w.text[i:]
			return w.fold(found)
		default:
			open.begin(r, c)
			start, end = i, i+size
		}
		i += size
	}
	found := w.found(start, end)
	w.text = nil
	if open.left == other || !open.solid {
		return nil
	}
	return w.fold(found)
}

// plain is Next for the easy case. It skips ASCII runes up to the next token, and returns
// the token if it is ASCII and the rune after it is ASCII and joins nothing.
func (w *Words) plain() []byte {
	for len(w.text) > 0 && w.text[0] < utf8.RuneSelf && !isWord(ascii[w.text[0]]) {
		w.text = w.text[1:]
	}
	n := 0
	for n < len(w.text) && isWord(ascii[w.text[n]]) {
		n++
	}
	if n == 0 || w.text[0] == '_' || n < len(w.text) && (w.text[n] >= utf8.RuneSelf || ascii[w.text[n]] != other) {
		return nil
	}
	found := w.found(0, n)
	w.text = w.text[n:]
	return w.fold(found)
}

// found notes the place of the next token and returns its bytes in the text.
func (w *Words) found(start, end int) []byte {
	before := w.size - len(w.text)
	w.start, w.end = before+start, before+end
	return w.text[start:end]
}

// keepBytes bounds the memory that is kept after a long token.
const keepBytes = 1 << 16

// fold returns the folded text of a token.
func (w *Words) fold(found []byte) []byte {
	if cap(w.buf) > keepBytes {
		w.buf = nil
	}
	w.buf = w.buf[:0]
	for len(found) > 0 {
		if c := found[0]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			w.buf = append(w.buf, c)
			found = found[1:]
			continue
		}
		r, size := utf8.DecodeRune(found)
		found = found[size:]
		if classOf(bmp(), r) != invisible {
			w.buf = utf8.AppendRune(w.buf, foldMid(fold(r)))
		}
	}
	return w.buf
}

// classOf is classify, by the table for the runes that the table has.
func classOf(table *[bmpRunes]class, r rune) class {
	if r < bmpRunes {
		return table[r]
	}
	return classify(r)
}
