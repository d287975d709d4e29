package html

import (
	"unicode"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// Words are numbers of words, which are runs of letters and digits; of scripts written without spaces, a letter is a
// word.
type Words struct {
	// All is the number of all words, and Hidden how many of them nobody sees: what is Hidden, and what is in template
	// and in noscript. A word of which a part is hidden counts as one that is and one that is not.
	All, Hidden uint64
}

// Share is the share of hidden words, 0 to 1; 0 if there are no words.
func (w Words) Share() float64 {
	if w.All == 0 {
		return 0
	}
	return float64(w.Hidden) / float64(w.All)
}

// add counts the words of a page, which begins at from in dst.
func (w *Words) add(dst []byte, from int, spans []span) {
	var shown, unseen wordCount
	next := from
	for _, s := range spans {
		if s.why&(Hidden|never) == 0 || s.to <= next {
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
	w.All += uint64(shown.n + unseen.n)
	w.Hidden += uint64(unseen.n)
}

// unspaced are the scripts that are written without spaces: each of their letters counts as
// a word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// wordCount counts the words of a text that comes in pieces.
type wordCount struct {
	n    int
	open bool // the last piece ended in a word
}

func (w *wordCount) count(piece []byte) {
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

// isWord reports whether r is a letter or a digit, of those of Unicode 15.0.0: others are class.Other.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9'
	}
	return class.At(class.Table(), r) != class.Other && (unicode.IsLetter(r) || unicode.IsNumber(r))
}
