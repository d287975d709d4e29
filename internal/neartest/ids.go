package neartest

import (
	"math/rand/v2"
	"strings"
)

// OddIDs are ids of any bytes, no two the same: NUL, Latin-1, broken UTF-8, U+FFFD itself, what
// looks like an escape of JSON, of Go or of package ids, pairs that differ in one byte that is
// not UTF-8, 64 KiB, and n random ones.
func OddIDs(rnd *rand.Rand, n int) []string {
	long := strings.Repeat("\xe9\x00\xff/", 16<<10)
	all := []string{
		"\x00", "a\x00", "a", "a ", " a", "caf\xe9", "café", "cafe\u0301", "\xe9", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xff", "a\xff", "a\xff\xff",
		"a\x80", "a\x81", "a\ufffd", `a\ufffd`, "a\\x80", `"a\x80"`, `"a"`, `{"base64":"YYA="}`, `{"base64": "YYA="}`, "YYA=", "base64", "null", "[]", "\u2028<&>'\"", "\ufeffa",
		"tab\tline\nfeed\r", "\x1b[31m", "\U0001f600", "\xf0\x9f\x98", long, long[:len(long)-1] + "\xfe", long[:len(long)-1],
	}
	seen := map[string]bool{}
	for _, id := range all {
		seen[id] = true
	}
	for len(all) < len(seen)+n && n > 0 {
		b := make([]byte, 1+rnd.IntN(24))
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		if rnd.IntN(4) == 0 { // differs from another in one byte
			b = []byte(all[rnd.IntN(len(all)-3)])
			b[rnd.IntN(len(b))] = byte(0x80 | rnd.Uint32())
		}
		if id := string(b); !seen[id] {
			seen[id] = true
			all = append(all, id)
			n--
		}
	}
	return all
}
