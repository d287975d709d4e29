// Package words finds the same tokens as package token, and returns their folded text: see [Scanner].
package words

import (
	"slices"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/nfkc"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/word"
)

// Scanner finds the tokens of one text after another. It is for code that shows tokens or hashes them
// its own way. It goes rune by rune, at a fraction of the speed of a token.Scanner, and needs memory for
// the longest token. The zero Scanner is at the end of its text. A Scanner is not safe for
// concurrent use.
type Scanner struct {
	text       []byte
	buf        []byte
	size       int // of the whole text
	start, end int // of the last token

	// The normal form of a run is searched in place of it: text is normal, outer is what
	// comes after the run.
	inside    bool
	outer     []byte
	outerSize int
	normal    []byte
	places    []place
	form      nfkc.Form
}

// Reset makes w scan text. It does not change text.
func (w *Scanner) Reset(text []byte) {
	w.text, w.size, w.outer, w.inside = text, len(text), nil, false
}

// Place returns where the last token was found: in the bytes of the text from start until
// before end.
func (w *Scanner) Place() (start, end int) { return w.start, w.end }

// Next returns the folded text of the next token, valid until the next call, or nil at the
// end.
//
// Package word decides where a token begins and ends, as in a token.Scanner. How a rune is
// folded depends on no other rune.
func (w *Scanner) Next() []byte {
	for {
		word, again := w.next()
		if word != nil {
			return word
		}
		if !again {
			if !w.inside {
				return nil
			}
			w.leave()
		}
	}
}

// next is Next in one text: the text, or the normal form of a run. again says that it has
// entered a run.
func (w *Scanner) next() (word []byte, again bool) {
	if found := w.plain(); found != nil {
		return found, false
	}
	return w.byRune()
}

func (w *Scanner) byRune() (found []byte, again bool) {
	table := class.Table()
	var m class.Marks
	var open word.Word
	start, end := 0, 0
	for i := 0; i < len(w.text); {
		r, size := rune(w.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(w.text[i:])
		}
		c := class.At(table, r)
		switch {
		case c&(class.Rewritten|class.Ordered) != 0 && !w.inside && m.Unordered(r, c, i, size):
			if open.Left == class.Other {
				start = i
			}
			w.enter(start, i)
			return nil, true
		case c == class.Invisible:
		case c&class.Mask == open.Left && class.IsWord(open.Left) && open.Pending == 0:
			end = i + size // one more rune of the same class: word would only hash it
		case open.Take(r, c):
			if open.Pending == 0 {
				end = i + size
			}
		case open.Left != class.Other && open.Solid:
			found := w.found(start, end)
			w.text = w.text[i:]
			return w.fold(found), false
		default:
			open.Begin(r, c)
			start, end = i, i+size
		}
		i += size
	}
	found = w.found(start, end)
	w.text = nil
	if open.Left == class.Other || !open.Solid {
		return nil, false
	}
	return w.fold(found), false
}

// plain is Next for the easy case. It skips ASCII runes up to the next token, and returns
// the token if it is ASCII and the rune after it is ASCII and joins nothing.
func (w *Scanner) plain() []byte {
	for len(w.text) > 0 && w.text[0] < utf8.RuneSelf && !class.IsWord(class.ASCII[w.text[0]]) {
		w.text = w.text[1:]
	}
	n := 0
	for n < len(w.text) && class.IsWord(class.ASCII[w.text[n]]) {
		n++
	}
	if n == 0 || w.text[0] == '_' || n < len(w.text) && (w.text[n] >= utf8.RuneSelf || class.ASCII[w.text[n]] != class.Other) {
		return nil
	}
	found := w.found(0, n)
	w.text = w.text[n:]
	return w.fold(found)
}

// found notes the place of the next token and returns its bytes in the text.
func (w *Scanner) found(start, end int) []byte {
	before := w.size - len(w.text)
	w.start, w.end = before+start, before+end
	if w.inside {
		i, _ := slices.BinarySearchFunc(w.places, w.start+1, func(p place, at int) int { return p.in - at })
		j, _ := slices.BinarySearchFunc(w.places, max(w.end, w.start+1), func(p place, at int) int { return p.in - at })
		w.start, w.end = w.places[max(0, i-1)].start, w.places[max(0, j-1)].end
	}
	return w.text[start:end]
}

// keepBytes bounds the memory that is kept after a long token.
const keepBytes = 1 << 16

// fold returns the folded text of a token.
func (w *Scanner) fold(found []byte) []byte {
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
		if class.At(class.Table(), r) != class.Invisible {
			w.buf = utf8.AppendRune(w.buf, class.FoldMid(class.Fold(r)))
		}
	}
	return w.buf
}

// enter makes w find the tokens of the normal form of the text from start to its run's end,
// in which i is, before it goes on.
func (w *Scanner) enter(start, i int) {
	_, size := utf8.DecodeRune(w.text[i:])
	end := class.RunEnd(w.text, i+size)
	if cap(w.normal) > keepBytes {
		w.normal = nil
	}
	w.normal, w.places = w.normal[:0], w.places[:0]
	w.outer, w.outerSize, w.inside = w.text[end:], w.size, true
	from := w.size - len(w.text) + start
	w.normal = w.form.Append(w.normal, w.text[start:end], func(in, start, end int) {
		w.places = append(w.places, place{in, from + start, from + end})
	})
	w.text, w.size = w.normal, len(w.normal)
}

// leave goes on after the run that enter entered.
func (w *Scanner) leave() {
	w.text, w.size, w.outer, w.inside = w.outer, w.outerSize, nil, false
}

// place says where a part of the normal form was in the text: the part from in on was
// there from start until before end.
type place struct{ in, start, end int }
