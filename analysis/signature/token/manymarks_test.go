package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/nfkc/nfkctest"
	"github.com/neardup/bleve-neardup/analysis/signature/token/words"
)

// A letter with any number of marks has one token in all normal forms of these marks, and so does
// a letter that is made of one.
func TestManyMarks(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		text := nfkctest.ManyMarks(rnd, 40+i%40)
		check(t, []byte(text))
		checkWords(t, new(words.Scanner), []byte(text))
	}
	for _, marks := range []string{"\u0316", "\u0316\u0301", "\u0301"} {
		for n := range 70 {
			one, two := "x é"+strings.Repeat(marks, n), "x e\u0301"+strings.Repeat(marks, n)
			if a, b := tokens([]byte(one)), tokens([]byte(two)); !slices.Equal(a, b) || !utf8.ValidString(a[1]) {
				t.Fatalf("%d of %+q: é has the token %+q, e with an accent %+q", n, marks, a, b)
			}
			check(t, []byte(one))
			check(t, []byte(two))
		}
	}
}
