package indextype

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Signatures of documents that searches met are kept in memory, since reading one
// from disk means decompressing everything stored with the document: 5 to 50 µs,
// where the comparison takes 0.01. They are kept by segment: a segment of scorch
// never changes, so neither does the signature of its n-th document, and nothing
// can go out of step. What belongs to segments that were merged away is dropped
// when a new segment is first met. This costs 8 bytes for each document of a
// segment, and about 300 more for each that was met.

// columns holds the signatures of one index that are in memory.
type columns struct {
	mu sync.Mutex // held to change of
	of atomic.Pointer[map[columnKey]column]
}

type columnKey struct {
	segment uint64
	field   string
}

// column has a slot for every document of a segment, filled when first asked for.
type column []atomic.Pointer[slot]

// slot is what is stored with a document: sig, or err if that cannot be read, or
// neither if there is nothing.
type slot struct {
	sig *signature.Signature
	err error
}

// Signature returns the signature that is stored for the fingerprinted field so
// named with a document of reader, which is one of this index's, such as a search
// gets. It returns nil if there is none, and an error that wraps
// signature.ErrMalformed or signature.ErrVersion if it cannot be read. The
// signature is shared: it must not be changed.
func (x *Index) Signature(reader index.IndexReader, id index.IndexInternalID, field string) (*signature.Signature, error) {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, fmt.Errorf("neardup: wanted a reader of this index, got a %T", reader)
	}
	doc := id.Value()
	for _, segment := range snapshot.Segments() {
		if size := uint64(segment.FullSize()); doc >= size {
			doc -= size
			continue
		}
		c := x.columns.column(snapshot, columnKey{segment.Id(), field}, segment.FullSize())
		s := c[doc].Load()
		if s == nil {
			var err error
			if s, err = readSlot(segment, doc, field); err != nil {
				return nil, err
			}
			c[doc].Store(s)
		}
		return s.sig, s.err
	}
	return nil, fmt.Errorf("neardup: wanted a document of the reader, got number %d, beyond its end", id.Value())
}

// column returns the column of a segment of snapshot, and makes it if it is new.
func (c *columns) column(snapshot *scorch.IndexSnapshot, key columnKey, size int64) column {
	if of := c.of.Load(); of != nil && (*of)[key] != nil {
		return (*of)[key]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var old map[columnKey]column
	if of := c.of.Load(); of != nil {
		old = *of
	}
	if col := old[key]; col != nil {
		return col
	}
	live := make(map[uint64]bool)
	for _, s := range snapshot.Segments() {
		live[s.Id()] = true
	}
	kept := make(map[columnKey]column, len(old)+1)
	for k, col := range old {
		if live[k.segment] {
			kept[k] = col
		}
	}
	col := make(column, size)
	kept[key] = col
	c.of.Store(&kept)
	return col
}

// readSlot reads the signature of the n-th document of a segment. An error of the
// segment itself is not kept.
func readSlot(segment *scorch.SegmentSnapshot, n uint64, field string) (*slot, error) {
	s := new(slot)
	name := signature.SketchField(field)
	err := segment.VisitDocument(n, func(stored string, _ byte, value []byte, _ []uint64) bool {
		if stored != name {
			return true
		}
		sig := new(signature.Signature)
		if s.err = sig.UnmarshalText(value); s.err == nil {
			s.sig = sig
		}
		return false
	})
	return s, err
}
