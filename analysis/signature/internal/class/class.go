// Package class has the classes of runes, from which package token makes tokens: what a rune does in a
// word, whether its case is folded, and whether its normal form must be looked at.
//
// Texts in NFC, NFD, NFKC and NFKD have the same tokens, and so do full-width, half-width
// and other compatibility forms of letters and digits: a token is read in NFKC.
//
// The naive way normalises the text first, which takes longer than everything else. Here the
// table of classes marks the runes that NFKC changes or can join to the rune before them. A
// text in NFC has hardly any of these. At such a rune, its run is normalised to a buffer,
// and the tokens of the buffer are those of the run. A run begins where the open token
// begins, and ends before the next separator or ideograph that needs no normalising: NFKC
// changes nothing across these places. Separators themselves stay as they are, so that "™"
// remains one.
package class

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

// Class says what part a rune has in tokens: a kind, and flags.
type Class uint8

// The kinds. Kinds that only join others are not exported.
const (
	Other     Class = iota // separates
	letter                 // joins with letters, digits, connectors
	hebrew                 // a letter that '"' joins to others
	digit                  // joins as letters do
	Connector              // likewise: "_"
	Ideograph              // a token of its own
	Mark                   // belongs to the token before it
	Invisible              // dropped
	midLetter              // joins letters: ":"
	midHebrew              // joins Hebrew letters: '"'
	midNumber              // joins digits: "," ";"
	midBoth                // joins letters, and joins digits: "." "'"
)

// The flags, and the mask of the kind.
const (
	Mask      Class = 0x0f
	Folds     Class = 0x80 // Fold changes the rune
	Rewritten Class = 0x40 // the rune is unstable, and no separator
	Ordered   Class = 0x20 // the rune has a canonical combining class
)

const (
	apostrophe = '\''
	gershayim  = '"'
)

// PlaneSize is the number of runes in a plane of Unicode.
const PlaneSize = 0x10000

// IsWord reports whether a kind is that of runes that form words.
func IsWord(kind Class) bool {
	return kind-letter <= Connector-letter // they follow one another, and Other wraps around
}

// Joins reports whether the kind c can stand inside a word after a rune of the kind left.
func (c Class) Joins(left Class) bool {
	switch c {
	case midLetter:
		return left == letter || left == hebrew
	case midHebrew:
		return left == hebrew
	case midNumber:
		return left == digit
	case midBoth:
		return left == letter || left == hebrew || left == digit
	}
	return false
}

// Joined reports whether the rune mid, which can join left to something, joins it to c.
func (c Class) Joined(left Class, mid rune) bool {
	if c == hebrew && left == letter || c == letter && left == hebrew {
		return mid != gershayim
	}
	return c == left
}

// midRunes lists the runes of the UAX #29 properties MidLetter, Double_Quote, MidNum,
// MidNumLet and Single_Quote, and the Arabic decimal separator, which UAX #29 counts as a
// digit.
var midRunes = map[Class]string{
	midLetter: ":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a",
	midHebrew: string(gershayim),
	midNumber: ",;\u037e\u0589\u060c\u060d\u066b\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b",
	midBoth:   "'.\u2018\u2019\u2024\ufe52\uff07\uff0e",
}

// letters lists the letters of UAX #29 (ALetter): true letters and runes used like letters,
// such as circled letters and the Armenian and Hebrew signs written inside words.
var letters = []*unicode.RangeTable{
	unicode.L, unicode.Nl, unicode.Other_Alphabetic,
	{R16: []unicode.Range16{
		{Lo: 0x02c2, Hi: 0x02c5, Stride: 1},
		{Lo: 0x02d2, Hi: 0x02d7, Stride: 1},
		{Lo: 0x02de, Hi: 0x02df, Stride: 1},
		{Lo: 0x02e5, Hi: 0x02eb, Stride: 1},
		{Lo: 0x02ed, Hi: 0x02ed, Stride: 1},
		{Lo: 0x02ef, Hi: 0x02ff, Stride: 1},
		{Lo: 0x055a, Hi: 0x055c, Stride: 1},
		{Lo: 0x055e, Hi: 0x055e, Stride: 1},
		{Lo: 0x058a, Hi: 0x058a, Stride: 1},
		{Lo: 0x05f3, Hi: 0x05f3, Stride: 1},
		{Lo: 0xa708, Hi: 0xa716, Stride: 1},
		{Lo: 0xa720, Hi: 0xa721, Stride: 1},
		{Lo: 0xa789, Hi: 0xa78a, Stride: 1},
		{Lo: 0xab5b, Hi: 0xab5b, Stride: 1},
	}},
}

// singles lists the scripts in which each letter is a token: scripts written without
// spaces.
var singles = []*unicode.RangeTable{
	unicode.Han, unicode.Ideographic, unicode.Hiragana, unicode.Katakana,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	unicode.Tai_Le, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Ahom,
}

// Signs of script Common that are used with kana: signs that stand for a kana, and the
// voiced sound marks of half-width kana.
const (
	kana   = "\u30fc\uff70\u3031\u3032\u3033\u3034\u3035"
	voiced = "\uff9e\uff9f"
)

// Assigned has the code points of Unicode 15.0.0. What a later version assigns separates words, so that a text has the
// same signature whatever Go a program is built with. Unicode 17.0.0 changes nothing of Assigned that counts here.
var Assigned = rangetable.Assigned("15.0.0")

// Table returns the classes of the runes of the first plane of Unicode. The table of a plane is made when its first
// rune is seen.
func Table() *[PlaneSize]Class { return planes[0]() }

var planes = func() (all [(unicode.MaxRune + 1) / PlaneSize]func() *[PlaneSize]Class) {
	for i := range all {
		all[i] = sync.OnceValue(func() *[PlaneSize]Class { return plane(i) })
	}
	return all
}()

// At returns the class of r, by the Table.
func At(table *[PlaneSize]Class, r rune) Class {
	if r < PlaneSize {
		return table[r]
	}
	return beyond(r)
}

func beyond(r rune) Class { return planes[r/PlaneSize]()[r%PlaneSize] }

// plane makes the table of the n-th plane, from the tables of package unicode: table by table, since asking these for
// each rune takes 30 ms.
func plane(n int) *[PlaneSize]Class {
	var t [PlaneSize]Class
	own := func(r rune) bool { return int(r)/PlaneSize == n }
	fill := func(c, over Class, tables ...*unicode.RangeTable) { // other: over any
		for _, table := range tables {
			rangetable.Visit(table, func(r rune) {
				if p := &t[r%PlaneSize]; own(r) && (over == Other || *p == over) {
					*p = c
				}
			})
		}
	}
	for mid, runes := range midRunes {
		fill(mid, Other, rangetable.New([]rune(runes)...))
	}
	fill(Invisible, Other, unicode.Cf)
	fill(Connector, Other, unicode.Pc)
	fill(letter, Other, letters...)
	fill(Ideograph, letter, singles...)
	fill(hebrew, letter, unicode.Hebrew)
	fill(Mark, Other, unicode.M)
	fill(digit, Other, unicode.Nd, unicode.No)
	fill(Ideograph, Other, rangetable.New([]rune(kana)...))
	fill(Mark, Other, rangetable.New([]rune(voiced)...))
	for _, cr := range unicode.CaseRanges {
		for r := rune(cr.Lo); r <= rune(cr.Hi); r++ {
			if own(r) && Fold(r) != r {
				t[r%PlaneSize] |= Folds
			}
		}
	}
	for i := range t {
		r := rune(n*PlaneSize + i)
		if t[i] != Other && !unicode.Is(Assigned, r) {
			t[i] = Other
		}
		if t[i] == Other || r < utf8.RuneSelf || Stable(r) {
			continue
		}
		if unstable(r) {
			t[i] |= Rewritten
		}
		if t[i]&Mask == Mark && Order(r) > 0 {
			t[i] |= Ordered
		}
	}
	return &t
}

// unstable reports whether NFKC changes r, or can join r to a rune before it. It is the
// slow, readable definition.
func unstable(r rune) bool {
	if Combines(r) {
		return true
	}
	var buf [utf8.UTFMax]byte
	text := buf[:utf8.EncodeRune(buf[:], r)]
	return !norm.NFKC.IsNormal(text)
}

// Fold maps the cases of a letter to one rune.
func Fold(r rune) rune {
	return unicode.ToLower(unicode.ToUpper(r))
}

// FoldMid maps the apostrophes to the ASCII one.
func FoldMid(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\uff07':
		return apostrophe
	}
	return r
}

// ASCII holds the classes of the ASCII runes. Bytes above 0x7f have the kind Other.
var ASCII = func() (t [256]Class) {
	for c := range byte(26) {
		t['a'+c], t['A'+c] = letter, letter
	}
	for c := range byte(10) {
		t['0'+c] = digit
	}
	t['_'] = Connector
	for mid, runes := range midRunes {
		for _, r := range runes {
			if r < utf8.RuneSelf {
				t[r] = mid
			}
		}
	}
	return t
}()
