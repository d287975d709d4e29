// Package nfkctest makes texts for tests of normal forms.
package nfkctest

import (
	"math/rand/v2"
	"strings"
)

var (
	bases = []string{"a", "É", "x", "각", "가", "\u1100", "か", "ক", "ｱ", "𠀀", "1", "q", "\u0916"}
	marks = []string{"\u0301", "\u0316", "\u0323", "\u0344", "\u0345", "\u3099", "\u05b8", "\u0f71", "\u0f74", "\u034f", "\u09be", "\u1161", "\u11a8", "ﾞ", "\u1ab0", "\U0001d165"}
)

// ManyMarks returns one to three letters, each followed by fewer than most marks, and by other
// characters that join with the one before them. A text has some kinds of them alone.
func ManyMarks(rnd *rand.Rand, most int) string {
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
