package winnow

import (
	"math"
	"math/bits"
	"slices"
)

// Table finds the documents that have a value among their Prints. It takes 8 bytes for each value of each
// document, and 4 to 8 more for each document. It is not changed once it is made, and safe for concurrent use.
//
// An entry is a value and its document. Entries lie in buckets by the highest bits of the values, in order.
type Table struct {
	entries []uint64 // the lowest 32 bits of a value in the upper half, the document's number in the lower
	starts  []uint32 // of the buckets; the last is the end
	shift   int      // of a value, to the number of its bucket
}

// leastWidth is the least number of bits in a bucket's number: these and the 32 of an entry are the whole value.
const leastWidth = Bits - 32

// NewTable returns the Table of the documents numbered 0 to documents-1, fewer than 2^32-1. values returns the values
// of one of them, as Prints have them. It is called twice for each document, and must return the same both times; its
// result is not kept. All documents together have fewer than 2^32 values.
func NewTable(documents int, values func(doc int) []uint64) *Table {
	width := min(max(leastWidth, bits.Len(uint(documents))), 24)
	t := &Table{starts: make([]uint32, 1<<width+1), shift: Bits - width}
	for doc := range documents {
		for _, v := range values(doc) {
			t.starts[v>>t.shift+1]++
		}
	}
	for i := 1; i < len(t.starts); i++ {
		t.starts[i] += t.starts[i-1]
	}
	t.entries = make([]uint64, t.starts[len(t.starts)-1])
	next := slices.Clone(t.starts)
	for doc := range documents {
		for _, v := range values(doc) {
			at := &next[v>>t.shift]
			if *at == t.starts[v>>t.shift+1] {
				continue // it was not there the first time
			}
			t.entries[*at] = v<<32 | uint64(doc)
			*at++
		}
	}
	for i := 1; i < len(t.starts); i++ {
		slices.Sort(t.entries[t.starts[i-1]:t.starts[i]])
	}
	return t
}

// Len is the number of values of all documents.
func (t *Table) Len() int { return len(t.entries) }

// Size is the memory that t takes, in bytes.
func (t *Table) Size() int { return 8*len(t.entries) + 4*len(t.starts) }

// Count returns how many documents have a value.
func (t *Table) Count(value uint64) int { return len(t.find(value)) }

// Documents yields the documents that have a value, in the order of their numbers, until yield returns false.
// It reports whether yield never did.
func (t *Table) Documents(value uint64, yield func(doc int) bool) bool {
	for _, e := range t.find(value) {
		if !yield(int(uint32(e))) {
			return false
		}
	}
	return true
}

// find returns the entries of a value.
func (t *Table) find(value uint64) []uint64 {
	if value>>Bits != 0 {
		return nil
	}
	bucket := value >> t.shift
	of := t.entries[t.starts[bucket]:t.starts[bucket+1]]
	from, _ := slices.BinarySearch(of, value<<32)
	to, _ := slices.BinarySearch(of, value<<32|math.MaxUint32)
	return of[from:to]
}
