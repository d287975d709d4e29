package codec_test

import (
	"encoding/binary"
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/codec"
)

// A stored form with a list of numbers, and the error for one that was altered.
func Example() {
	const version = 1
	numbers := []uint64{2, 3, 5, 7}
	data := codec.Begin(nil, codec.Bottom, version, codec.ID(codec.Bottom, 4))
	data = binary.AppendUvarint(data, uint64(len(numbers)))
	data = codec.AppendUint64s(data, numbers)
	data = codec.Seal(data, 0)

	r := codec.Open(data, codec.Bottom, version)
	read := r.Uint64s("numbers", r.Uvarint("number of numbers", 0, 100))
	fmt.Println(read, r.Close())

	data[8]++
	r = codec.Open(data, codec.Bottom, version)
	fmt.Println(r.Close())
	// Output:
	// [2 3 5 7] <nil>
	// bottom: checksum: wanted e4eb2200, got 19538321: malformed stored form
}
