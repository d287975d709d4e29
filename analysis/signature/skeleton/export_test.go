package skeleton

import (
	"strings"
	"sync"
	"unicode"
)

// LooksLike looks r up naively in the table: it returns what r looks like, or "" if the
// table has neither r nor the letter to which it folds.
func LooksLike(r rune) string {
	l := folded()[unicode.ToLower(unicode.ToUpper(r))]
	switch {
	case unicode.Is(unicode.M, r):
		return ""
	case unicode.IsUpper(r):
		return strings.ToUpper(l)
	}
	return l
}

// Lookalikes is the number of letters in the table.
func Lookalikes() int { return len(folded()) }

var folded = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{}
	for _, l := range lookalikes {
		for _, r := range l.like {
			m[r] = l.letters
		}
	}
	return m
})
