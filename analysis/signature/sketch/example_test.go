package sketch_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Two sets of 300 fingerprints of which 270 are common: the resemblance is
// 270/330 = .82, and about as many lanes agree.
func Example() {
	var fingerprints []uint64
	for i := range uint64(330) {
		fingerprints = append(fingerprints, token.Mix(0, i))
	}

	builder := sketch.NewBuilder(100, 0)
	of := func(elements []uint64) sketch.Sketch {
		builder.Reset()
		builder.Add(elements)
		builder.Finish(elements)
		return builder.Append(nil)
	}
	a, b := of(fingerprints[:300]), of(fingerprints[30:])
	fmt.Println(100-sketch.Differ(a, b), "of 100 lanes agree")
	fmt.Println("at least 90:", sketch.Within(a, b, 10))
	// Output:
	// 83 of 100 lanes agree
	// at least 90: false
}

// "At least 90 of 100 lanes agree" needs 11 bands.
func ExampleBounds() {
	for i := range 11 {
		begin, end := sketch.Bounds(100, 11, i)
		fmt.Print(begin, "-", end-1, " ")
	}
	fmt.Println()
	// Output: 0-8 9-17 18-26 27-35 36-44 45-53 54-62 63-71 72-80 81-89 90-99
}
