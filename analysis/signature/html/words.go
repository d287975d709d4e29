package html

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// unspaced are the scripts that are written without spaces: each of their letters counts as
// a word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// words counts words, up to least, of a text that comes in pieces.
type words struct {
	n    int
	open bool // the last piece ended in a word
}

func (w *words) add(piece []byte) { w.count(piece, least) }

// count is add up to most words.
func (w *words) count(piece []byte, most int) {
	for i := 0; i < len(piece) && w.n < most; {
		switch inText[piece[i]] {
		case wordly:
			if !w.open {
				w.n, w.open = w.n+1, true
			}
			i++
			continue
		case foreign:
		default:
			w.open = false
			i++
			continue
		}
		c, size := utf8.DecodeRune(piece[i:])
		i += size
		switch {
		case !isWord(c):
			w.open = false
		case unicode.In(c, unspaced...):
			w.n, w.open = w.n+1, false
		case !w.open:
			w.n, w.open = w.n+1, true
		}
	}
}

// isWord reports whether r is a letter or a digit.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return letter(byte(r)) || digit(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// hasWord reports whether p has a letter or a digit.
func hasWord(p []byte) bool {
	for i, c := range p {
		switch {
		case c >= utf8.RuneSelf:
			return bytes.ContainsFunc(p[i:], isWord)
		case letter(c) || digit(c):
			return true
		}
	}
	return false
}

// void reports whether an element has no content and no end tag (13.1.2).
func void(name []byte) bool {
	var lower [len("source")]byte
	if len(name) > len(lower) {
		return false
	}
	switch string(toLower(lower[:], name)) {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}
