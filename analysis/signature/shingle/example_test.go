package shingle_test

import (
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// A text of eight words has five shingles of four words, here three distinct ones.
func Example() {
	key := token.NewKey(0)
	var hashes []uint64
	for _, word := range strings.Fields("a rose is a rose is a rose") {
		hashes = append(hashes, key.Hash([]byte(word)))
	}

	windows := shingle.NewWindows(4, 0)
	fingerprints := windows.Append(nil, hashes)
	var set shingle.Set
	set.Add(fingerprints)
	fmt.Println(len(fingerprints), "shingles,", set.Len(), "distinct")
	// Output: 5 shingles, 3 distinct
}
