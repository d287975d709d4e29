// Package column keeps signatures of indexed documents in memory, for the index
// type to fill and for collapse to read. Applications have no need of it.
//
// To read one from disk means decompressing everything stored with the document:
// 5 to 50 µs, where the comparison takes 0.01. So those that searches met are kept,
// by segment: a segment of scorch never changes, so neither does the signature of
// its n-th document, and nothing can go out of step. What belongs to segments that
// were merged away is dropped when a new segment is first met. This costs 8 bytes
// for each document of a segment, and about 300 more for each that was met, up to a
// million of them: 300 MB an index. Those met later are read anew each time.
//
// A query is given a snapshot of the index and nothing else. Of finds the Store that
// goes with it in a map that holds neither snapshots nor Stores: both are let go
// of as if it did not exist.
package column

import (
	"cmp"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Store has the signatures of one index that are in memory. The zero Store is
// empty. It is safe for concurrent use.
type Store struct {
	mu   sync.Mutex // held to change of
	of   atomic.Pointer[map[key]*column]
	kept atomic.Int64 // signatures in all columns
	most int64        // defaultMost if 0

	pairings []*pairing // of the newest snapshot, guarded by mu
}

// defaultMost is how many signatures a Store keeps.
const defaultMost = 1 << 20

type key struct {
	segment uint64
	field   string
}

// column has a slot for every document of a segment, filled when first asked for.
type column struct {
	slots []atomic.Pointer[slot]
	kept  atomic.Int64
}

// slot is what is stored with a document: sig, or err if that cannot be read, or
// neither if there is nothing.
type slot struct {
	sig *signature.Signature
	err error
}

// stores finds the Store of a snapshot.
var stores sync.Map // weak.Pointer[scorch.IndexSnapshot] -> weak.Pointer[Store]

// Adopt makes Of find s for reader, if it is a snapshot of scorch's.
func (s *Store) Adopt(reader index.IndexReader) {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return
	}
	at := weak.Make(snapshot)
	if _, known := stores.LoadOrStore(at, weak.Make(s)); !known {
		runtime.AddCleanup(snapshot, func(at weak.Pointer[scorch.IndexSnapshot]) { stores.Delete(at) }, at)
	}
}

// Of returns a Reader of the signatures of a fingerprinted field in a snapshot, or
// nil if no Store adopted it.
func Of(reader index.IndexReader, field string) *Reader {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil
	}
	at, ok := stores.Load(weak.Make(snapshot))
	if !ok {
		return nil
	}
	s := at.(weak.Pointer[Store]).Value()
	if s == nil {
		return nil
	}
	r := &Reader{field: field, name: signature.SketchField(field), store: s, snapshot: weak.Make(snapshot)}
	var end uint64
	for _, segment := range snapshot.Segments() {
		end += uint64(segment.FullSize())
		r.segments = append(r.segments, segment)
		r.ends = append(r.ends, end)
		r.columns = append(r.columns, s.column(snapshot, key{segment.Id(), field}, segment.FullSize()))
	}
	return r
}

// column returns the column of a segment of snapshot, and makes it if it is new.
func (s *Store) column(snapshot *scorch.IndexSnapshot, k key, size int64) *column {
	if of := s.of.Load(); of != nil && (*of)[k] != nil {
		return (*of)[k]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var old map[key]*column
	if of := s.of.Load(); of != nil {
		old = *of
	}
	if col := old[k]; col != nil {
		return col
	}
	live := make(map[uint64]bool)
	for _, segment := range snapshot.Segments() {
		live[segment.Id()] = true
	}
	var total int64
	kept := make(map[key]*column, len(old)+1)
	for k, col := range old {
		if live[k.segment] {
			kept[k] = col
			total += col.kept.Load()
		}
	}
	s.kept.Store(total)
	col := &column{slots: make([]atomic.Pointer[slot], size)}
	kept[k] = col
	s.of.Store(&kept)
	return col
}

// Reader reads the signatures of one field in one snapshot, which it does not keep
// open.
type Reader struct {
	field    string
	name     string // the stored field
	snapshot weak.Pointer[scorch.IndexSnapshot]
	segments []*scorch.SegmentSnapshot
	ends     []uint64 // of the segments' document numbers
	columns  []*column
	store    *Store
}

// Signature returns the signature of the document of that number. It returns nil
// if there is none, and an error that wraps signature.ErrMalformed or
// signature.ErrVersion if it cannot be read. The signature is shared: it must not
// be changed.
func (r *Reader) Signature(doc uint64) (*signature.Signature, error) {
	i := sort.Search(len(r.ends), func(i int) bool { return doc < r.ends[i] })
	if i == len(r.ends) {
		return nil, fmt.Errorf("neardup: wanted a document of the snapshot, got number %d, beyond its end", doc)
	}
	if i > 0 {
		doc -= r.ends[i-1]
	}
	c := r.columns[i]
	if s := c.slots[doc].Load(); s != nil {
		return s.sig, s.err
	}
	s, err := read(r.segments[i], doc, r.name)
	if err != nil {
		return nil, err
	}
	if r.store.kept.Load() < cmp.Or(r.store.most, defaultMost) && c.slots[doc].CompareAndSwap(nil, s) {
		c.kept.Add(1)
		r.store.kept.Add(1)
	}
	return s.sig, s.err
}

// read reads the signature of the n-th document of a segment. An error of the
// segment itself is not kept.
func read(segment *scorch.SegmentSnapshot, n uint64, name string) (*slot, error) {
	s := new(slot)
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
