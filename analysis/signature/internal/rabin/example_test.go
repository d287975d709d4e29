package rabin_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/rabin"
)

// AltaVista's 40-bit fingerprints: the fingerprint of A xor B follows from those of A and B.
func Example() {
	w := rabin.NewWindows(rabin.Random(40, 0x5eed), 2)
	of := func(tokens ...uint64) uint64 { return w.Append(nil, tokens)[0] }
	const a, rose, is, red = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93
	fmt.Println(of(a^is, rose^red) == of(a, rose)^of(is, red), of(a, rose) < 1<<40)
	// Output: true true
}
