package simhash_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// 1,000 features, one of which changes: few bits of the simhash change, if any.
func Example() {
	var features []uint64
	for i := range uint64(1001) {
		features = append(features, token.Mix(0, i))
	}
	of := func(features []uint64) uint64 {
		var c simhash.Counter
		c.Add(features)
		return c.Sum()
	}
	a, b := of(features[:1000]), of(features[1:])
	unrelated := of([]uint64{token.Mix(1, 0), token.Mix(1, 1), token.Mix(1, 2)})
	fmt.Println(simhash.Distance(a, b) <= 3, simhash.Distance(a, unrelated) <= 3)
	// Output: true false
}

// If two simhashes differ in at most 3 bits, at least one of 4 blocks is equal: a table
// from blocks to documents finds each document through the other.
func ExampleBlock() {
	const stored, asked = 0x123456789abcdef0, 0x123456799abddef1
	for i := range 4 {
		fmt.Printf("%04x %04x\n", simhash.Block(stored, 4, i), simhash.Block(asked, 4, i))
	}
	// Output:
	// def0 def1
	// 9abc 9abd
	// 5678 5679
	// 1234 1234
}
