// Package column keeps signatures of indexed documents in memory, for the index
// type to fill and for collapse to read. Applications have no need of it.
//
// To read one from disk means decompressing everything stored with the document:
// 1 to 50 µs, where the comparison takes 0.01. So those that searches met are kept,
// by segment: a segment of scorch never changes, so neither does the signature of
// its n-th document, and nothing can go out of step. What belongs to segments that
// were merged away is dropped when a new segment is first met. This costs about 230
// bytes for each document that was met, up to a million of them: 230 MB an index.
// Those met later are read anew each time, but for a Lookup, which needs all.
//
// A query is given a snapshot of the index and nothing else. Of finds the Store that
// goes with it in a map that holds neither snapshots nor Stores: both are let go
// of as if it did not exist.
package column

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// Store has the signatures of one index that are in memory. The zero Store is
// empty. It is safe for concurrent use.
type Store struct {
	mu   sync.Mutex // held to change of
	of   atomic.Pointer[map[key]*column]
	kept atomic.Int64 // signatures in all columns
	most int64        // defaultMost if 0

	work   sync.WaitGroup // what is done beside searches, until ctx is done
	ctx    context.Context
	cancel context.CancelFunc
	closed bool

	findings []*finding // of the newest snapshot, guarded by mu
}

// defaultMost is how many signatures a Store keeps.
const defaultMost = 1 << 20

type key struct {
	segment uint64
	field   string
}

// column has a place for every document of a segment, filled when first asked for.
type column struct {
	*table.Column
	kept    atomic.Int64
	damaged sync.Map // int -> error, of those set to nil because they cannot be read

	mu     sync.Mutex // held to freeze
	frozen []frozen   // the newest last
}

// stores finds the Store of a snapshot by its address. What is found counts only if it is
// of that very snapshot: another may have been at the address before. To make a weak
// pointer takes up to 4 µs, so that of the address is no key.
var stores sync.Map // uintptr -> *adoption

type adoption struct {
	snapshot weak.Pointer[scorch.IndexSnapshot]
	store    weak.Pointer[Store]
}

// of returns the adoption of a snapshot, or nil.
func of(snapshot *scorch.IndexSnapshot) *adoption {
	if found, ok := stores.Load(uintptr(unsafe.Pointer(snapshot))); ok {
		if a := found.(*adoption); a.snapshot.Value() == snapshot {
			return a
		}
	}
	return nil
}

// Adopt makes Of find s for reader, if it is a snapshot of scorch's.
func (s *Store) Adopt(reader index.IndexReader) {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok || of(snapshot) != nil {
		return
	}
	at, a := uintptr(unsafe.Pointer(snapshot)), &adoption{weak.Make(snapshot), weak.Make(s)}
	stores.Store(at, a)
	runtime.AddCleanup(snapshot, func(a *adoption) { stores.CompareAndDelete(at, a) }, a)
}

// Of returns a Reader of the signatures of a fingerprinted field in a snapshot, or
// nil if no Store adopted it.
func Of(reader index.IndexReader, field string) *Reader {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil
	}
	a := of(snapshot)
	if a == nil {
		return nil
	}
	s := a.store.Value()
	if s == nil {
		return nil
	}
	return s.reader(a.snapshot, snapshot, field)
}

func newReader(s *Store, snapshot *scorch.IndexSnapshot, field string) *Reader {
	return s.reader(weak.Make(snapshot), snapshot, field)
}

func (s *Store) reader(at weak.Pointer[scorch.IndexSnapshot], snapshot *scorch.IndexSnapshot, field string) *Reader {
	segments := snapshot.Segments()
	r := &Reader{field: field, name: signature.SketchField(field), store: s, snapshot: at, segments: segments}
	r.ends, r.columns = make([]uint64, 0, len(segments)), make([]*column, 0, len(segments))
	var end uint64
	for _, segment := range segments {
		end += uint64(segment.FullSize())
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
	col := &column{Column: table.NewColumn(int(size))}
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

// segment returns the segment of a document, and its number in there.
func (r *Reader) segment(doc uint64) (i int, n uint64, err error) {
	i, _ = slices.BinarySearch(r.ends, doc+1)
	if i == len(r.ends) || doc+1 == 0 {
		return 0, 0, fmt.Errorf("neardup: wanted a document of the snapshot, got number %d, beyond its end", doc)
	}
	if i > 0 {
		doc -= r.ends[i-1]
	}
	return i, doc, nil
}

// Signature returns the signature of the document of that number. It returns nil
// if there is none, and an error that wraps signature.ErrMalformed or
// signature.ErrVersion if it cannot be read. Its sketch is shared: it must not be
// changed.
func (r *Reader) Signature(doc uint64) (*signature.Signature, error) {
	sig := new(signature.Signature)
	if ok, err := r.Read(doc, sig); !ok {
		return nil, err
	}
	return sig, nil
}

// Read is Signature with memory of the caller's: it sets *sig, or reports false. It panics
// if sig is nil.
func (r *Reader) Read(doc uint64, sig *signature.Signature) (ok bool, err error) {
	i, n, err := r.segment(doc)
	if err != nil {
		return false, err
	}
	c := r.columns[i]
	if c.Known(int(n)) { // asked first: another search may be setting it
		if *sig, ok = c.At(int(n)); ok {
			return true, nil
		}
		damage, _ := c.damaged.Load(int(n))
		err, _ = damage.(error)
		return false, err
	}
	own, damage := read(r.segments[i], n, r.name)
	if r.store.kept.Load() < cmp.Or(r.store.most, defaultMost) {
		r.store.keep(c, int(n), own, damage)
	}
	if own != nil {
		*sig = *own
	}
	return own != nil, damage
}

// NearBySimhash returns those of docs whose simhash differs from h in at most so many bits,
// and those whose signature is not in memory. It reuses docs.
func (r *Reader) NearBySimhash(docs []uint64, h uint64, most int) (rest []uint64) {
	rest = docs[:0]
	for _, doc := range docs {
		i, n, err := r.segment(doc)
		if err == nil {
			if own, ok := r.columns[i].Simhash(int(n)); ok && simhash.Distance(own, h) > most {
				continue
			}
		}
		rest = append(rest, doc)
	}
	return rest
}

// At is Read for a document that has a signature.
func (r *Reader) At(doc uint64) (sig signature.Signature, err error) {
	ok, err := r.Read(doc, &sig)
	if err == nil && !ok {
		err = fmt.Errorf("neardup: wanted a document with a signature, got number %d", doc)
	}
	return sig, err
}

// keep keeps what was read of the n-th document.
func (s *Store) keep(c *column, n int, sig *signature.Signature, damage error) {
	if damage != nil {
		c.damaged.Store(n, damage)
	}
	if c.Set(n, sig) {
		c.kept.Add(1)
		s.kept.Add(1)
	}
}
