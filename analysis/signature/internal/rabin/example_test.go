package rabin_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/rabin"
)

// AltaVista's 40-bit fingerprints: the fingerprint of AB follows from those of A and B, and
// so does the fingerprint of A xor B.
func Example() {
	f := rabin.New(rabin.Random(40, 0x5eed))
	a, b := []byte("a rose "), []byte("is red.")
	fmt.Println(f.Extend(f.Sum(a), b) == f.Sum([]byte("a rose is red.")))

	for i := range a {
		a[i] ^= b[i]
	}
	fmt.Println(f.Sum(a) == f.Sum([]byte("a rose "))^f.Sum(b), f.Sum(a) < 1<<40)
	// Output:
	// true
	// true true
}
