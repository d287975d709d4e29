package token

import (
	"slices"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// Words finds the tokens of one text after another, the same as a Scanner, and returns their folded text. It is for
// code that shows tokens or hashes them its own way. It goes rune by rune, at a fraction of the speed of a Scanner, and
// needs memory for the longest token. The zero Words is at the end of its text. Words are not safe for concurrent use.
type Words struct {
	text       []byte // what is left of it
	size       int    // of the whole text
	start, end int    // of the last token
	buf        []byte // the last token, folded

	// Where runes are not in normal form, the normal form of these runes (their run: see
	// package class) is searched in place of them: text is then normal, and outer is what
	// comes after the run.
	inside    bool
	outer     []byte
	outerSize int
	normal    []byte
	places    []place
	form      class.Form
}

// place says where a part of the normal form was in the text: the part from in on was
// there from start until before end.
type place struct{ in, start, end int }

// Reset makes s scan text. It does not change text.
func (s *Words) Reset(text []byte) {
	s.text, s.size, s.outer, s.inside = text, len(text), nil, false
}

// Place returns where the last token was found: in the bytes of the text from start until
// before end.
func (s *Words) Place() (start, end int) { return s.start, s.end }

// Next returns the folded text of the next token, valid until the next call, or nil at the
// end.
//
// An openWord decides where a token begins and ends, as in a Scanner. How a rune is
// folded depends on no other rune: so a token is folded when it is found.
func (s *Words) Next() []byte {
	for {
		word, again := s.next()
		if word != nil {
			return word
		}
		if !again {
			if !s.inside {
				return nil
			}
			s.leave()
		}
	}
}

// next is Next in one text: the text, or the normal form of a run. again says that it has
// entered a run.
func (s *Words) next() (word []byte, again bool) {
	if found := s.plain(); found != nil {
		return found, false
	}
	return s.byRune()
}

// byRune is next for any text.
func (s *Words) byRune() (found []byte, again bool) {
	table := class.Table()
	var m class.Marks
	var open openWord
	start, end := 0, 0
	for i := 0; i < len(s.text); {
		r, size := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(s.text[i:])
		}
		c := class.At(table, r)
		switch {
		case c&(class.Rewritten|class.Ordered) != 0 && !s.inside && m.Unordered(r, c, i, size):
			if open.left == class.Other {
				start = i
			}
			s.enter(start, i)
			return nil, true
		case c == class.Invisible:
		case c&class.Mask == open.left && class.IsWord(open.left) && open.pending == 0:
			end = i + size // one more rune of the same class: take would only hash it
		case open.take(r, c):
			if open.pending == 0 {
				end = i + size
			}
		case open.left != class.Other && open.solid:
			found := s.found(start, end)
			s.text = s.text[i:]
			return s.fold(found), false
		default:
			open.begin(r, c)
			start, end = i, i+size
		}
		i += size
	}
	found = s.found(start, end)
	s.text = nil
	if open.left == class.Other || !open.solid {
		return nil, false
	}
	return s.fold(found), false
}

// plain is next for the easy case. It skips ASCII runes up to the next token, and returns
// the token if it is ASCII and the rune after it is ASCII and joins nothing, else nil.
func (s *Words) plain() []byte {
	for len(s.text) > 0 && s.text[0] < utf8.RuneSelf && !class.IsWord(class.ASCII[s.text[0]]) {
		s.text = s.text[1:]
	}
	n := 0
	for n < len(s.text) && class.IsWord(class.ASCII[s.text[n]]) {
		n++
	}
	if n == 0 || s.text[0] == '_' || n < len(s.text) && (s.text[n] >= utf8.RuneSelf || class.ASCII[s.text[n]] != class.Other) {
		return nil
	}
	found := s.found(0, n)
	s.text = s.text[n:]
	return s.fold(found)
}

// found notes the place of the next token and returns its bytes in the text.
func (s *Words) found(start, end int) []byte {
	before := s.size - len(s.text)
	s.start, s.end = before+start, before+end
	if s.inside {
		i, _ := slices.BinarySearchFunc(s.places, s.start+1, func(p place, at int) int { return p.in - at })
		j, _ := slices.BinarySearchFunc(s.places, max(s.end, s.start+1), func(p place, at int) int { return p.in - at })
		s.start, s.end = s.places[max(0, i-1)].start, s.places[max(0, j-1)].end
	}
	return s.text[start:end]
}

// fold returns the folded text of a token.
func (s *Words) fold(found []byte) []byte {
	if cap(s.buf) > keepBytes {
		s.buf = nil
	}
	s.buf = s.buf[:0]
	for len(found) > 0 {
		if c := found[0]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			s.buf = append(s.buf, c)
			found = found[1:]
			continue
		}
		r, size := utf8.DecodeRune(found)
		found = found[size:]
		if class.At(class.Table(), r) != class.Invisible {
			s.buf = utf8.AppendRune(s.buf, class.FoldMid(class.Fold(r)))
		}
	}
	return s.buf
}

// enter makes s find the tokens of the normal form of the text from start to its run's end,
// in which i is, before it goes on.
func (s *Words) enter(start, i int) {
	_, size := utf8.DecodeRune(s.text[i:])
	end := class.RunEnd(s.text, i+size)
	if cap(s.normal) > keepBytes {
		s.normal = nil
	}
	s.normal, s.places = s.normal[:0], s.places[:0]
	s.outer, s.outerSize, s.inside = s.text[end:], s.size, true
	from := s.size - len(s.text) + start
	s.normal = s.form.Append(s.normal, s.text[start:end], func(in, start, end int) {
		s.places = append(s.places, place{in, from + start, from + end})
	})
	s.text, s.size = s.normal, len(s.normal)
}

// leave goes on after the run that enter entered.
func (s *Words) leave() {
	s.text, s.size, s.outer, s.inside = s.outer, s.outerSize, nil, false
}

// Token is a token of a value, with its place: the bytes of the value from Start until
// before End.
type Token struct {
	Term       []byte
	Start, End int
}

// Split returns the tokens of a value, folded.
func Split(value []byte) (tokens []Token) {
	var s Words
	s.Reset(value)
	for word := s.Next(); word != nil; word = s.Next() {
		start, end := s.Place()
		tokens = append(tokens, Token{slices.Clone(word), start, end})
	}
	return tokens
}
