package token

import (
	"sync"
	"unicode"
)

// class says how a rune takes part in tokens.
type class uint8

const (
	other      class = iota // separates
	letter                  // joins with letters, digits, connectors
	digit                   // likewise
	connector               // likewise: "_"
	ideograph               // a token of its own
	mark                    // belongs to the token before it
	invisible               // dropped
	midLetter               // joins letters: ":"
	midNumber               // joins digits: "," ";"
	midBoth                 // joins letters, and joins digits: "." "'"
	classMask  class = 0x0f
	folds      class = 0x80 // flag: fold changes the rune
	bmpRunes         = 0x10000
	apostrophe       = '\''
)

// joins reports whether c may stand inside a word after a rune of class left.
func (c class) joins(left class) bool {
	return left == letter && (c == midLetter || c == midBoth) ||
		left == digit && (c == midNumber || c == midBoth)
}

// midRunes lists the runes of the UAX #29 properties MidLetter, MidNum,
// MidNumLet and Single_Quote.
var midRunes = map[class]string{
	midLetter: ":\u00b7\u0387\u055f\u05f4\u2027\ufe13\ufe55\uff1a",
	midNumber: ",;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b",
	midBoth:   "'.\u2018\u2019\u2024\ufe52\uff07\uff0e",
}

// singles lists the scripts whose letters are a token each: those written
// without spaces.
var singles = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// prolonged sound marks are letters of script Common, used with kana.
const prolonged, prolongedHalf = '\u30fc', '\uff70'

// classify returns the class of r by the tables of package unicode: the slow,
// readable definition.
func classify(r rune) class {
	c := other
	switch {
	case unicode.In(r, unicode.Nd, unicode.No):
		c = digit
	case r == prolonged || r == prolongedHalf:
		c = ideograph
	case unicode.In(r, unicode.L, unicode.Nl):
		c = letter
		if unicode.In(r, singles...) {
			c = ideograph
		}
	case unicode.Is(unicode.M, r):
		c = mark
	case unicode.Is(unicode.Pc, r):
		c = connector
	case unicode.Is(unicode.Cf, r):
		c = invisible
	default:
		for mid, runes := range midRunes {
			for _, m := range runes {
				if m == r {
					c = mid
				}
			}
		}
	}
	if fold(r) != r {
		c |= folds
	}
	return c
}

// bmp holds the class of each rune of the Basic Multilingual Plane, made when
// text beyond ASCII is first seen, from the same tables as classify but range by
// range (0.4 ms, where asking classify 65,536 times takes 30 ms).
var bmp = sync.OnceValue(func() *[bmpRunes]class {
	var t [bmpRunes]class
	fill := func(c class, tables ...*unicode.RangeTable) {
		for _, table := range tables {
			for _, rg := range table.R16 {
				for r := int(rg.Lo); r <= int(rg.Hi); r += int(rg.Stride) {
					if c != ideograph || t[r] == letter {
						t[r] = c
					}
				}
			}
		}
	}
	for mid, runes := range midRunes {
		for _, r := range runes {
			t[r] = mid
		}
	}
	fill(invisible, unicode.Cf)
	fill(connector, unicode.Pc)
	fill(mark, unicode.M)
	fill(letter, unicode.L, unicode.Nl)
	fill(ideograph, singles...)
	fill(digit, unicode.Nd, unicode.No)
	t[prolonged], t[prolongedHalf] = ideograph, ideograph
	for _, cr := range unicode.CaseRanges {
		for r := cr.Lo; r <= cr.Hi && r < bmpRunes; r++ {
			if fold(rune(r)) != rune(r) {
				t[r] |= folds
			}
		}
	}
	return &t
})

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
