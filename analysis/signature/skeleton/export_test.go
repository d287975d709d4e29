package skeleton

import (
	"strings"
	"sync"
	"unicode"
)

// LooksLike is a naive look into the table: what r looks like, "" if neither it nor
// what it folds to is there.
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
