package sketch_test

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// The sketch of a book, from those of its chapters.
func ExampleFull() {
	builder := sketch.NewBuilder(100, 0)
	var all []uint64
	book := builder.Full()
	for chapter := range uint64(20) {
		builder.Reset()
		var fingerprints []uint64
		for i := range uint64(1000) {
			fingerprints = append(fingerprints, token.Mix(chapter, i))
		}
		builder.Add(fingerprints)
		builder.Finish(fingerprints)
		full := builder.Full()
		if err := book.Merge(&full); err != nil {
			fmt.Println(err)
			return
		}
		all = append(all, fingerprints...)
	}

	builder.Reset()
	builder.Add(all)
	builder.Finish(all)
	fmt.Println(slices.Equal(book.Pack(), builder.Append(nil)))
	// Output: true
}
