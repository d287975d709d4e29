package winnow_test

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// The paper's own example: windows of 4 of these 17 fingerprints.
func Example() {
	s := winnow.New(4)
	fmt.Println(s.Append(nil, []uint64{77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98}))

	// Passages of 8 words, as shingles of 4: texts that have 5 consecutive shingles in common.
	window := winnow.Window(8, 4)
	a := winnow.New(window).Append(nil, []uint64{90, 80, 31, 25, 70, 41, 62, 11})
	b := winnow.New(window).Append(nil, []uint64{54, 31, 25, 70, 41, 62, 99, 88, 60})
	fmt.Println(a, b, slices.Contains(a, 25) && slices.Contains(b, 25))
	// Output:
	// [17 17 8 39 17]
	// [25 11] [25 41] true
}
