package sketch_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// 83 of 100 lanes agree. One document has 500 shingles, the other 550.
func ExampleEstimate() {
	r := sketch.Sampled(83, 100, 0)
	fmt.Println("resemblance", r)
	a, b := r.Containment(500, 550)
	fmt.Println("of the first, the second has", a)
	fmt.Println("of the second, the first has", b)
	// Output:
	// resemblance 0.83 ± 0.04
	// of the first, the second has 0.95 ± 0.02
	// of the second, the first has 0.87 ± 0.02
}
