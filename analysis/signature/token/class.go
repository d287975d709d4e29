package token

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/nfkc"
)

// class says what part a rune has in tokens.
type class uint8

const (
	other      class = iota // separates
	letter                  // joins with letters, digits, connectors
	hebrew                  // a letter that '"' joins to others
	digit                   // joins as letters do
	connector               // likewise: "_"
	ideograph               // a token of its own
	mark                    // belongs to the token before it
	invisible               // dropped
	midLetter               // joins letters: ":"
	midHebrew               // joins Hebrew letters: '"'
	midNumber               // joins digits: "," ";"
	midBoth                 // joins letters, and joins digits: "." "'"
	classMask  class = 0x0f
	folds      class = 0x80 // flag: fold changes the rune
	rewritten  class = 0x40 // flag: the rune is unstable, and no separator
	ordered    class = 0x20 // flag: the rune has a canonical combining class
	bmpRunes         = 0x10000
	apostrophe       = '\''
	gershayim        = '"'
)

func isWord(c class) bool { return c == letter || c == hebrew || c == digit || c == connector }

// joins reports whether c can stand inside a word after a rune of class left.
func (c class) joins(left class) bool {
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

// joined reports whether the rune mid, which can join left to something, joins it to c.
func (c class) joined(left class, mid rune) bool {
	if c == hebrew && left == letter || c == letter && left == hebrew {
		return mid != gershayim
	}
	return c == left
}

// midRunes lists the runes of the UAX #29 properties MidLetter, Double_Quote, MidNum,
// MidNumLet and Single_Quote, and the Arabic decimal separator, which UAX #29 counts as a
// digit.
var midRunes = map[class]string{
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

// classify returns the class of r by the tables of package unicode: the slow,
// readable definition.
func classify(r rune) class {
	c := other
	switch {
	case unicode.In(r, unicode.Nd, unicode.No):
		c = digit
	case strings.ContainsRune(kana, r):
		c = ideograph
	case unicode.Is(unicode.M, r), strings.ContainsRune(voiced, r):
		c = mark
	case unicode.In(r, letters...):
		c = letter
		if unicode.In(r, singles...) {
			c = ideograph
		}
		if unicode.Is(unicode.Hebrew, r) {
			c = hebrew
		}
	case unicode.Is(unicode.Pc, r):
		c = connector
	case unicode.Is(unicode.Cf, r):
		c = invisible
	default:
		for mid, runes := range midRunes {
			if strings.ContainsRune(runes, r) {
				c = mid
			}
		}
	}
	if c != other && r >= utf8.RuneSelf && unstable(r) {
		c |= rewritten
	}
	if r >= utf8.RuneSelf && nfkc.Order(r) > 0 {
		c |= ordered
	}
	if fold(r) != r {
		c |= folds
	}
	return c
}

// bmp and smp hold the class of each rune of the first two planes. They are made when the
// first such rune is seen. Runes beyond these planes are rare.
var (
	bmp = sync.OnceValue(func() *[bmpRunes]class { return plane(0) })
	smp = sync.OnceValue(func() *[bmpRunes]class { return plane(bmpRunes) })
)

// beyond is classify for runes after the first plane.
func beyond(r rune) class {
	if r < 2*bmpRunes {
		return smp()[r-bmpRunes]
	}
	return classify(r)
}

// plane makes the table of the runes from first on. It reads the same tables as classify,
// but range by range, where 65,536 calls of classify take 30 ms.
func plane(first int) *[bmpRunes]class {
	var t [bmpRunes]class
	each := func(lo, hi, stride int, do func(*class)) {
		for i := lo - first; i <= hi-first; i += stride {
			if 0 <= i && i < bmpRunes {
				do(&t[i])
			}
		}
	}
	fill := func(c, over class, tables ...*unicode.RangeTable) { // other: over any
		set := func(p *class) {
			if over == other || *p == over {
				*p = c
			}
		}
		for _, table := range tables {
			for _, rg := range table.R16 {
				each(int(rg.Lo), int(rg.Hi), int(rg.Stride), set)
			}
			for _, rg := range table.R32 {
				each(int(rg.Lo), int(rg.Hi), int(rg.Stride), set)
			}
		}
	}
	set := func(c class, runes string) {
		for _, r := range runes {
			each(int(r), int(r), 1, func(p *class) { *p = c })
		}
	}
	for mid, runes := range midRunes {
		set(mid, runes)
	}
	fill(invisible, other, unicode.Cf)
	fill(connector, other, unicode.Pc)
	fill(letter, other, letters...)
	fill(ideograph, letter, singles...)
	fill(hebrew, letter, unicode.Hebrew)
	fill(mark, other, unicode.M)
	fill(digit, other, unicode.Nd, unicode.No)
	set(ideograph, kana)
	set(mark, voiced)
	for i := range t {
		if r := rune(first + i); t[i] != other && r >= utf8.RuneSelf && !nfkc.Stable(r) {
			if unstable(r) {
				t[i] |= rewritten
			}
			if t[i]&classMask == mark && nfkc.Order(r) > 0 {
				t[i] |= ordered
			}
		}
	}
	for _, cr := range unicode.CaseRanges {
		for r := rune(cr.Lo); r <= rune(cr.Hi); r++ {
			if fold(r) != r {
				each(int(r), int(r), 1, func(p *class) { *p |= folds })
			}
		}
	}
	return &t
}

// fold maps the cases of a letter to one rune.
func fold(r rune) rune {
	return unicode.ToLower(unicode.ToUpper(r))
}

// foldMid maps the apostrophes to the ASCII one.
func foldMid(r rune) rune {
	switch r {
	case '\u2018', '\u2019', '\uff07':
		return apostrophe
	}
	return r
}

// ascii holds the classes of the ASCII runes. Bytes above 0x7f have class other.
var ascii = func() (t [256]class) {
	for r := range rune(utf8.RuneSelf) {
		t[r] = classify(r) & classMask
	}
	return t
}()
