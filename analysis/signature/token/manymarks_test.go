package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	bases = []string{"a", "É", "x", "각", "가", "\u1100", "か", "ক", "ｱ", "𠀀", "1", "q", "\u0916"}
	marks = []string{"\u0301", "\u0316", "\u0323", "\u0344", "\u0345", "\u3099", "\u05b8", "\u0f71", "\u0f74", "\u034f", "\u09be", "\u1161", "\u11a8", "ﾞ", "\u1ab0", "\U0001d165"}
)

// manyMarks returns one to three letters, each followed by fewer than most marks, and by other
// characters that join with the one before them. A text has some kinds of them alone.
func manyMarks(rnd *rand.Rand, most int) string {
	var b strings.Builder
	kinds := 1 + rnd.IntN(len(marks))
	at := rnd.IntN(len(marks))
	for range 1 + rnd.IntN(3) {
		b.WriteString(bases[rnd.IntN(len(bases))])
		for range rnd.IntN(most) {
			b.WriteString(marks[(at+rnd.IntN(kinds))%len(marks)])
		}
	}
	return b.String()
}

// A letter with any number of marks has one token in all normal forms of these marks, and so does
// a letter that is made of one.
func TestManyMarks(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range 200 {
		text := manyMarks(rnd, 40+i%40)
		check(t, []byte(text))
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
