package token

import (
	"bytes"
	"slices"
	"testing"
	"unicode"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// fold is the simple case folding of Unicode: it makes one rune of those, and only
// those, that unicode.SimpleFold links and that NFKC leaves apart. Only the Turkish letters go further.
func TestFold(t *testing.T) {
	t.Parallel()
	byFold := map[rune][]rune{}
	most := rune(unicode.MaxRune)
	if testing.Short() {
		most = 0x1ffff // no letter beyond has another case
	}
	for r := range most + 1 {
		f := class.Fold(r)
		if class.Fold(f) != f {
			t.Errorf("%U folds to %U, and that to %U", r, f, class.Fold(f))
		}
		next := unicode.SimpleFold(r)
		if class.Fold(next) != f && !bytes.Equal(naiveNFKC([]byte(string(r))), naiveNFKC([]byte(string(next)))) {
			t.Errorf("%U folds to %U, %U to %U", r, f, next, class.Fold(next))
		}
		if f != r {
			byFold[f] = append(byFold[f], r)
		}
	}
	for f, from := range byFold {
		var linked []rune
		for r := unicode.SimpleFold(f); r != f; r = unicode.SimpleFold(r) {
			linked = append(linked, r)
		}
		slices.Sort(linked)
		if f == 'i' {
			linked = append(linked, 'İ', 'ı')
		}
		if !slices.Equal(from, linked) {
			t.Errorf("to %c fold %c, wanted %c", f, from, linked)
		}
	}
}

// What is one word, whatever its case, and what is not.
func TestFoldedWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why, a, b string
		same      bool
	}{
		{"Cyrillic", "ЁЖИК", "ёжик", true},
		{"Greek, with its final sigma", "ΟΔΟΣ", "οδος", true},
		{"Armenian", "ԲԱՐԵՒ", "բարեւ", true},
		{"Georgian", "ᲗᲑᲘᲚᲘᲡᲘ", "თბილისი", true},
		{"Cherokee", "ᏣᎳᎩ", "ꮳꮃꭹ", true},
		{"beyond the first plane", "𐐔𐐇", "𐐼𐐯", true},
		{"full-width Latin", "ＬＩＮＵＸ", "ｌｉｎｕｘ", true},
		{"circled letters", "ⒶⒷ", "ⓐⓑ", true},
		{"the kelvin and ångström signs", "\u212a\u212b", "kå", true},
		{"titlecase digraphs", "ǅ", "ǆ", true},
		{"capital sharp s", "STRAẞE", "straße", true},
		{"dotted and dotless i", "İIıi", "iiii", true},
		{"long s", "ſo", "so", true},
		{"no full folding: sharp s is not ss", "STRASSE", "straße", false},
		{"ligatures", "ﬁn", "fin", true},
		{"full width", "ｌｉｎｕｘ", "linux", true},
		{"é in one rune and in two", "caf\u00e9", "cafe\u0301", true},
		{"i with a dot", "\u0130", "I\u0307", true},
		{"accents count", "café", "cafe", false},
	} {
		a, b := tokens([]byte(tt.a)), tokens([]byte(tt.b))
		check(t, []byte(tt.a+" "+tt.b))
		if len(a) != 1 || len(b) != 1 || slices.Equal(a, b) != tt.same {
			t.Errorf("%s: %s and %s: got tokens %q and %q, wanted one each, the same: %v", tt.why, tt.a, tt.b, a, b, tt.same)
		}
	}
}
