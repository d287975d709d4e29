package bottom_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/classic/bottom"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Two sets of 300 fingerprints with 270 in common: the resemblance is 270/330 = .82. A
// sketch of 500 would hold both sets completely.
func Example() {
	var fingerprints []uint64
	for i := range uint64(330) {
		fingerprints = append(fingerprints, token.Mix(0, i))
	}
	for _, size := range []int{100, 500} {
		p := bottom.Params{Size: size}
		a, b := bottom.Of(p, fingerprints[:300]), bottom.Of(p, fingerprints[30:])
		r, _ := bottom.Resemblance(&a, &b)
		fmt.Println(len(a.Values), "elements:", r)
	}
	// Output:
	// 100 elements: 0.80 ± 0.03
	// 300 elements: 0.82 ± 0.00
}
