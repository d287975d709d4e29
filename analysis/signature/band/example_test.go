package band_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/band"
)

// If two simhashes differ in at most 3 bits, at least one of 4 blocks is equal: a table
// from blocks to documents finds each document through the other.
func ExampleSimhash() {
	const stored, asked = 0x123456789abcdef0, 0x123456799abddef1
	for i := range 4 {
		fmt.Printf("%04x %04x\n", band.Simhash(stored, 4, i), band.Simhash(asked, 4, i))
	}
	// Output:
	// def0 def1
	// 9abc 9abd
	// 5678 5679
	// 1234 1234
}

// "At least 90 of 100 lanes agree" needs 11 bands.
func ExampleBounds() {
	for i := range 11 {
		begin, end := band.Bounds(100, 11, i)
		fmt.Print(begin, "-", end-1, " ")
	}
	fmt.Println()
	// Output: 0-8 9-17 18-26 27-35 36-44 45-53 54-62 63-71 72-80 81-89 90-99
}
