package modm_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/classic/modm"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// A book of 50,000 fingerprints and an excerpt of 2,000 of them, with an
// introduction of 500.
func Example() {
	var fingerprints []uint64
	for i := range uint64(50_500) {
		fingerprints = append(fingerprints, token.Mix(0, i))
	}
	p := modm.Params{Modulus: 25}
	book, excerpt := modm.Of(p, fingerprints[:50_000]), modm.Of(p, fingerprints[48_000:])
	fmt.Println(len(book.Values), "and", len(excerpt.Values), "elements")

	r, _ := modm.Resemblance(&book, &excerpt)
	c, _ := modm.Containment(&excerpt, &book)
	fmt.Println("resemblance", r)
	fmt.Println("of the excerpt, the book has", c)
	// Output:
	// 1944 and 99 elements
	// resemblance 0.040 ± 0.004
	// of the excerpt, the book has 0.79 ± 0.04
}

// Documents of all sizes, each with a sketch of 100 to 200 elements.
func ExampleModulus() {
	for _, shingles := range []uint64{150, 5_000, 1_000_000} {
		fmt.Println(shingles, "shingles: mod", modm.Modulus(shingles, 200))
	}
	// Output:
	// 150 shingles: mod 1
	// 5000 shingles: mod 32
	// 1000000 shingles: mod 8192
}
