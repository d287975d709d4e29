package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A letter with any number of marks has one token in all normal forms of these marks, and so does
// a letter that is made of one.
func TestManyMarks(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"\u0301", "\u0316", "\u0323", "\u0344", "\u0345", "\u3099", "\u05b8", "\u0f71", "\u0f74", "\u034f", "\u09be", "\u1161", "\u11a8", "ﾞ", "\u1ab0", "\U0001d165"}
	bases := []string{"a", "É", "x", "각", "가", "\u1100", "か", "ক", "ｱ", "𠀀", "1", "q", "\u0916"}
	for i := range 200 {
		var b strings.Builder
		kinds := 1 + rnd.IntN(len(pieces))
		at := rnd.IntN(len(pieces))
		for range 1 + rnd.IntN(3) {
			b.WriteString(bases[rnd.IntN(len(bases))])
			for range rnd.IntN(40 + i%40) {
				b.WriteString(pieces[(at+rnd.IntN(kinds))%len(pieces)])
			}
		}
		text := b.String()
		check(t, []byte(text))
		checkWords(t, new(Words), []byte(text))
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
