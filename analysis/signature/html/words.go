package html

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words are numbers of words of a page. Words are what Content counts 20 of.
type Words struct {
	// All is the number of all words, and Hidden how many of them nobody sees: those that Visible
	// leaves out, and those in template and in noscript. A word of which a part is hidden counts
	// as one that is and one that is not.
	All    uint64 `json:"all"`
	Hidden uint64 `json:"hidden"`
}

// Share is the share of hidden words, 0 to 1; 0 if there are no words.
func (w Words) Share() float64 {
	if w.All == 0 {
		return 0
	}
	return float64(w.Hidden) / float64(w.All)
}

// Plus returns the sums of w and o.
func (w Words) Plus(o Words) Words { return Words{w.All + o.All, w.Hidden + o.Hidden} }

// Stored returns the stored form: Hidden and All in decimal, such as "12/340".
func (w Words) Stored() string { return fmt.Sprintf("%d/%d", w.Hidden, w.All) }

// ParseWords reads what Stored returned. It returns an error for anything else.
func ParseWords(stored string) (Words, error) {
	hidden, all, _ := strings.Cut(stored, "/")
	h, err1 := strconv.ParseUint(hidden, 10, 64)
	a, err2 := strconv.ParseUint(all, 10, 64)
	if w := (Words{a, h}); err1 == nil && err2 == nil && h <= a && w.Stored() == stored {
		return w, nil
	}
	return Words{}, fmt.Errorf("html: wanted numbers of hidden and of all words, such as \"12/340\", got %q", stored)
}

// TextWords is Text, and counts words in the same pass.
func TextWords(dst, src []byte) (text []byte, w Words) {
	text = without(dst, src, 0, &w)
	return text, w
}

// VisibleWords is Visible, and counts words in the same pass.
func VisibleWords(dst, src []byte) (text []byte, w Words) {
	text = without(dst, src, hidden, &w)
	return text, w
}

// ContentWords is Content, and counts words in the same pass.
func ContentWords(dst, src []byte) (text []byte, w Words) {
	text = without(dst, src, hidden|template, &w)
	return text, w
}

// count counts the words of a page, which begins at from in dst.
func count(dst []byte, from int, spans []span) Words {
	var shown, unseen words
	next := from
	for _, s := range spans {
		if s.why&(hidden|never) == 0 || s.to <= next {
			continue
		}
		if s.from >= next {
			shown.count(dst[next:s.from])
			next, unseen.open = s.from, false
		}
		unseen.count(dst[next:s.to])
		next = s.to
	}
	shown.count(dst[next:])
	return Words{All: uint64(shown.n + unseen.n), Hidden: uint64(unseen.n)}
}

// unspaced are the scripts that are written without spaces: each of their letters counts as
// a word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// words counts words of a text that comes in pieces.
type words struct {
	n    int
	open bool // the last piece ended in a word
}

func (w *words) count(piece []byte) {
	for i := 0; i < len(piece); {
		c, size := rune(piece[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(piece[i:])
		}
		i += size
		switch {
		case !isWord(c):
			w.open = false
		case c >= utf8.RuneSelf && unicode.In(c, unspaced...):
			w.n, w.open = w.n+1, false
		case !w.open:
			w.n, w.open = w.n+1, true
		}
	}
}

// isWord reports whether r is a letter or a digit.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// hasWord reports whether p has a letter or a digit.
func hasWord(p []byte) bool { return bytes.ContainsFunc(p, isWord) }
