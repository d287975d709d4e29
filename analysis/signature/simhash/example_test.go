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
