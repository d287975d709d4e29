package neartest

import (
	"math/rand/v2"
	"strings"
)

// OddIDs are ids of any characters, no two the same: NUL, U+FFFD, what looks like an escape of JSON or of Go, pairs
// that only a careful reader tells apart, 64 KiB, and n random ones.
func OddIDs(rnd *rand.Rand, n int) []string {
	long := strings.Repeat("é\x00\u07ff/", 11<<10)
	all := []string{
		"\x00", "a\x00", "a", "a ", " a", "café", "cafe\u0301", "\u00e9", "a\ufffd", `a\ufffd`, "a\\x80", `"a\x80"`, `"a"`, `{"a": "b"}`, "null", "[]",
		"\u2028<&>'\"", "\ufeffa", "tab\tline\nfeed\r", "\x1b[31m", "\U0001f600", "\U0010ffff", long, long + "a", long[:len(long)-1],
	}
	seen := map[string]bool{}
	for _, id := range all {
		seen[id] = true
	}
	for n > 0 {
		runes := make([]rune, 1+rnd.IntN(24))
		for i := range runes {
			runes[i] = rune(rnd.IntN(0x800))
		}
		if rnd.IntN(4) == 0 { // differs from another in one character
			runes = []rune(all[rnd.IntN(len(all)-3)])
			runes[rnd.IntN(len(runes))] = rune(0x80 + rnd.IntN(0x80))
		}
		if id := string(runes); !seen[id] {
			seen[id] = true
			all = append(all, id)
			n--
		}
	}
	return all
}
