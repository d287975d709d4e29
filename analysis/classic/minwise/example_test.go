package minwise_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/classic/minwise"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Two sets of 300 fingerprints with 270 in common: the resemblance is 270/330 = .82.
func Example() {
	var fingerprints []uint64
	for i := range uint64(330) {
		fingerprints = append(fingerprints, token.Mix(0, i))
	}
	p := minwise.Params{Lanes: 100}
	a, b := minwise.Of(p, fingerprints[:300]), minwise.Of(p, fingerprints[30:])

	r, _ := minwise.Resemblance(&a, &b)
	fmt.Println("resemblance", r)
	fmt.Println("packed,", 100-sketch.Differ(a.Pack(), b.Pack()), "of 100 lanes agree")
	// Output:
	// resemblance 0.82 ± 0.04
	// packed, 82 of 100 lanes agree
}
