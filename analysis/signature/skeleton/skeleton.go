// Package skeleton writes text in plain letters where it has letters of another kind that
// only look like them. A copy disguised with such letters then has the signature of the
// text that a reader sees. [Text] makes the skeleton of a text.
//
// # Algorithm
//
// The skeleton is that of UTS #39 (Unicode Security Mechanisms, section 4) with
// compatibility decompositions, but in the opposite direction for ASCII:
//
//   - ASCII stays as it is, but for the last step.
//   - Everything else is decomposed by compatibility (NFKD of UAX #15): full-width and
//     mathematical letters become plain ones, "ﬁ" two letters, "é" a letter and a mark.
//   - Invisible characters are dropped: default-ignorable code points (UAX #44), such as
//     zero-width spaces, direction marks, variation selectors and Hangul fillers.
//   - Marks on letters of Latin, Greek, Cyrillic and the common script are dropped, and on
//     letters beyond the first plane. On other letters they belong to the spelling, and the
//     first 8 stay.
//   - A letter that looks like one or two ASCII letters, by the table of UTS #39, becomes
//     these: 378 letters and their other cases.
//   - The rest is composed again (NFC).
//   - Four single letters of ASCII or more become a word, if the same one to three characters of ASCII that are no
//     letters or digits, nor the end of a line, separate each two: "v i a g r a", "v.i.a.g.r.a".
//
// UTS #39 makes "rn" of "m" and "l" of "I" and "1", which is right for names that are
// compared with each other. Here texts in plain letters must keep their signatures. So
// digits for letters, "rn" for "m" and the like are not look-alikes here.
//
// In Cyrillic and Greek text most words change. This does not harm the search for their
// near-duplicates, since they all change alike, but texts in these scripts have different
// signatures with and without this package.
//
// Time is linear in the text. Memory is that of the result, which is at most 11 times as
// long as the text (U+FDFA alone is that long).
package skeleton

import (
	"encoding/binary"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// mostMarks is the number of marks of a letter that stay. More marks are not spelling, and
// from 30 on they would not be put in order (UAX #15, section 13).
const mostMarks = 8

// Plain reports whether text is its own skeleton because it is ASCII without rows of single letters.
func Plain(text []byte) bool {
	if ascii(text) < len(text) {
		return false
	}
	from, _, _ := row(text, 0)
	return from == len(text)
}

// Text appends the skeleton of src to dst and returns it. Bytes that are not UTF-8, and what
// Unicode 15.0.0 does not assign, become U+FFFD, so that they cannot combine into a character.
// dst and src must not overlap.
func Text(dst, src []byte) []byte {
	begin := len(dst)
	for len(src) > 0 {
		n := ascii(src)
		dst = append(dst, src[:n]...)
		src = src[n:]
		for n = 0; n < len(src) && src[n] >= utf8.RuneSelf; {
			n++
		}
		dst = other(dst, src[:n])
		src = src[n:]
	}
	return dst[:begin+joined(dst[begin:])]
}

// leastRow is how many single letters make a row: three are initials.
const leastRow = 4

// joined makes a word of each row of single letters, and returns how long the text then is.
func joined(text []byte) (n int) {
	for at := 0; at < len(text); {
		from, to, step := row(text, at)
		n += copy(text[n:], text[at:from])
		for at = from; at < to; at += step {
			text[n] = text[at]
			n++
		}
		at = to
	}
	return n
}

// row returns where the next row from at on is, and how far its letters are from each other; all of text lies before it
// if there is none. The text before at ends a word.
func row(text []byte, at int) (from, to, step int) {
	for i, inWord := at, false; i < len(text); {
		size, word := first(text[i:])
		if !inWord && letter(text[i]) {
			if end, step := rowOf(text[i:]); end > 0 {
				return i, i + end, step
			}
		}
		i, inWord = i+size, word
	}
	return len(text), len(text), 1
}

// rowOf returns the end of the row with which text begins, 0 if it begins with none.
func rowOf(text []byte) (end, step int) {
	for step = 1; step < len(text) && step <= 4 && !letter(text[step]); step++ {
		if c := text[step]; c >= utf8.RuneSelf || '0' <= c && c <= '9' || c == '\n' || c == '\r' {
			return 0, 0
		}
	}
	if step == 1 || step > 4 {
		return 0, 0
	}
	for end, n := 1, 1; ; end, n = end+step, n+1 {
		next := text[end:]
		if len(next) < step || string(next[:step-1]) != string(text[1:step]) || !letter(next[step-1]) || inWord(next[step:]) {
			if n < leastRow {
				return 0, 0
			}
			return end, step
		}
	}
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// first returns the size of the first character of a text, and whether words have it.
func first(text []byte) (size int, word bool) {
	if c := text[0]; c < utf8.RuneSelf {
		return 1, letter(c) || '0' <= c && c <= '9'
	}
	r, size := utf8.DecodeRune(text)
	return size, unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// inWord reports whether text begins with what belongs to the word before.
func inWord(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	_, word := first(text)
	return word
}

// ascii returns the number of ASCII bytes at the start of p.
func ascii(p []byte) int {
	const tops = 0x8080808080808080
	n := 0
	for ; n+8 <= len(p); n += 8 {
		if binary.LittleEndian.Uint64(p[n:])&tops != 0 {
			break
		}
	}
	for n < len(p) && p[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// other appends the skeleton of text between ASCII. Marks on ASCII are dropped, so nothing
// composes with the text before or after.
func other(dst, p []byte) []byte {
	t := kinds()
	begin, marks, composes := len(dst), mostMarks, false // marks on the letter before; mostMarks if none may stay
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 {
			dst = utf8.AppendRune(dst, r)
			p, marks = p[1:], mostMarks
			continue
		}
		whole := p[:size]
		if r >= plane || t.rewritten[r] {
			switch d := norm.NFKD.Properties(p).Decomposition(); {
			case t.of(r) == unknown:
				whole = []byte("\ufffd")
			case d != nil:
				whole, composes = d, true
			}
		}
		p = p[size:]
		for len(whole) > 0 {
			r, size := utf8.DecodeRune(whole)
			switch k := t.of(r); {
			case k == ignored:
			case k == mark:
				if marks < mostMarks {
					marks, composes = marks+1, true
					dst = append(dst, whole[:size]...)
				}
			case k >= like:
				dst = append(dst, letters(k)...)
				marks = mostMarks
			default:
				dst = append(dst, whole[:size]...)
				composes = composes || 0x1100 <= r && r <= 0x11ff // Hangul letters, which make syllables
				marks = 0
				if k == bare {
					marks = mostMarks
				}
			}
			whole = whole[size:]
		}
	}
	if composes {
		made := norm.NFC.Bytes(dst[begin:])
		dst = append(dst[:begin], made...)
	}
	return dst
}

// kind says what happens to a rune of decomposed text.
type kind uint8

const (
	keeps   kind = iota // it stays, with its marks
	bare                // it stays, without its marks
	mark                // it belongs to the letter before
	ignored             // it is dropped
	unknown             // it becomes U+FFFD
	like                // from here on: look-alikes, twice the index in the table, plus 1 in upper case
)

// letters returns the letters that a look-alike looks like.
func letters(k kind) string {
	l := lookalikes[(k-like)/2].letters
	if (k-like)%2 == 1 {
		return strings.ToUpper(l)
	}
	return l
}

const plane = 0x10000

// table has the kinds of the runes of the first plane, and of look-alikes beyond it.
type table struct {
	first     [plane]kind
	rewritten [plane]bool // it is decomposed, or unknown
	beyond    map[rune]kind
}

// of returns the kind of r. Beyond the first plane no marks stay, because package norm
// takes U+10041 for "A" when it composes.
func (t *table) of(r rune) kind {
	if r < plane {
		return t.first[r]
	}
	switch k, ok := t.beyond[r]; {
	case ok:
		return k
	case !unicode.Is(class.Assigned, r):
		return unknown
	case unicode.In(r, ignorable...):
		return ignored
	case unicode.Is(unicode.M, r):
		return mark
	}
	return bare
}

var ignorable = []*unicode.RangeTable{unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point}

// kinds makes the table when the first text needs it, which takes some milliseconds.
var kinds = sync.OnceValue(func() *table {
	t := &table{beyond: map[rune]kind{}}
	fill := func(k kind, tables ...*unicode.RangeTable) {
		for _, table := range tables {
			rangetable.Visit(table, func(r rune) {
				if r < plane {
					t.first[r] = k
				}
			})
		}
	}
	fill(bare, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Common)
	fill(mark, unicode.M)
	fill(ignored, ignorable...)
	for r := range rune(plane) {
		t.rewritten[r] = norm.NFKD.PropertiesString(string(r)).Decomposition() != nil
		if !unicode.Is(class.Assigned, r) {
			t.first[r], t.rewritten[r] = unknown, true
		}
	}
	for i, l := range lookalikes {
		for _, r := range l.like {
			t.looks(r, like+kind(2*i))
			for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
				switch {
				case unicode.Is(unicode.M, other), !unicode.Is(class.Assigned, other):
				case unicode.IsUpper(other):
					t.looks(other, like+kind(2*i+1))
				default:
					t.looks(other, like+kind(2*i))
				}
			}
		}
	}
	return t
})

// looks enters a look-alike. It is not decomposed: U+03F2 looks like "c", but by
// compatibility it is a sigma.
func (t *table) looks(r rune, k kind) {
	if r < plane {
		t.first[r], t.rewritten[r] = k, false
	} else {
		t.beyond[r] = k
	}
}
