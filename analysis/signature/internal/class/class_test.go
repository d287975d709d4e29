package class

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// of is the class of r by the tables of package unicode: the slow, readable definition.
func of(r rune) Class {
	c := Other
	switch {
	case !unicode.Is(Assigned, r):
		return Other
	case unicode.In(r, unicode.Nd, unicode.No):
		c = digit
	case strings.ContainsRune(kana, r):
		c = Ideograph
	case unicode.Is(unicode.M, r), strings.ContainsRune(voiced, r):
		c = Mark
	case unicode.In(r, letters...):
		c = letter
		if unicode.In(r, singles...) {
			c = Ideograph
		}
		if unicode.Is(unicode.Hebrew, r) {
			c = hebrew
		}
	case unicode.Is(unicode.Pc, r):
		c = Connector
	case unicode.Is(unicode.Cf, r):
		c = Invisible
	default:
		for mid, runes := range midRunes {
			if strings.ContainsRune(runes, r) {
				c = mid
			}
		}
	}
	if c != Other && r >= utf8.RuneSelf && unstable(r) {
		c |= Rewritten
	}
	if r >= utf8.RuneSelf && Order(r) > 0 {
		c |= Ordered
	}
	if Fold(r) != r {
		c |= Folds
	}
	return c
}

// The tables are only a faster of.
func TestTable(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if testing.Short() && r >= PlaneSize && r%13 > 0 || r >= 4*PlaneSize && r%101 > 0 && r>>8 != 0xe00 && r>>8 != 0xe01 {
			continue
		}
		got, want := At(Table(), r), of(r)
		if got != want {
			t.Errorf("%U: table has %d, of %d", r, got, want)
		}
		if r < utf8.RuneSelf && ASCII[r] != want&Mask {
			t.Errorf("%U: ASCII has %d, of %d", r, ASCII[r], want&Mask)
		}
	}
}
