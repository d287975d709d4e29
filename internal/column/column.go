// Package column keeps signatures of indexed documents in memory, for the index type to
// fill and for collapse to read. A Store belongs to an index, a Reader reads one field
// of one snapshot, a Lookup finds near-duplicates in it, and Families says which
// documents can be near-duplicates at all.
//
// To read a signature from disk takes 1 to 50 µs, to compare two .01 µs. So the signatures that searches meet are
// kept, by segment. A segment of scorch never changes, so the signature of its n-th document never does, either. What
// is kept of a segment that was merged away is dropped when a new segment is first met.
//
// A Store has 240 MB, counted in places of 134 bytes, of a signature. All fields share them, and so do the terms of
// fields that searches group by. When the first signature of a segment is kept, the segment takes a place for each of
// its documents. If fewer are left, its signatures are read anew each time. A segment without a signature of a field
// takes no memory for that field. A quarter of a byte for each document and field comes on top, and 8 bytes for each
// document whose family is known. A Lookup needs all signatures in memory, and keeps them there whatever the number
// of places. A search keeps what it has read of an older snapshot until it ends.
//
// bleve gives a query a snapshot of the index and nothing else. Of finds the Store of a snapshot in
// a map that keeps neither snapshots nor Stores alive.
package column

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/weakmap"
)

// Store has the signatures of one index that are in memory. The zero Store is
// empty. It is safe for concurrent use.
type Store struct {
	mu      sync.Mutex // guards all that follows
	columns map[key]*column
	terms   map[key]*terms
	kept    int64 // places that all columns and terms take
	most    int64 // defaultMost if 0; none if it is negative

	work   sync.WaitGroup // what is done beside searches, until ctx is done
	ctx    context.Context
	cancel context.CancelFunc
	closed bool

	families []*families
}

// defaultMost is how many places for signatures a Store has: 240 MB.
const defaultMost = 240_000_000 / bytesPerPlace

type key struct {
	segment uint64
	field   string
}

// column has a place for every document of a segment, filled when first asked for.
type column struct {
	*table.Column
	taken
	blank bool        // no document has a signature, and nothing is kept
	dense atomic.Bool // it has a place for each document

	mu       sync.Mutex // held to freeze
	frozen   []*frozen  // the newest last
	passages *passages  // nil until they are asked for
}

// taken is what is kept of a segment, guarded by Store.mu.
type taken struct {
	places  int64
	dropped bool // it takes no more
}

// passages finds the documents of a segment by what is selected of them: see Passages. It is not changed once it is
// made.
type passages struct {
	*winnow.Table
	params  uint32
	damaged []int // documents, with those that were deleted since
}

// stores finds the Store of a snapshot by its address.
//
// A reader of the index type's own that embeds the snapshot would be plainer. But bleve counts what searches read only
// if a reader is a *scorch.IndexSnapshot (IndexImpl.SearchInContext), and packages that look into segments want one.
var stores weakmap.Map[scorch.IndexSnapshot, weak.Pointer[Store]]

// Adopt makes Of find s for reader, if it is a snapshot of scorch's.
func (s *Store) Adopt(reader index.IndexReader) {
	if snapshot, ok := reader.(*scorch.IndexSnapshot); ok && !Adopted(reader) {
		stores.Put(snapshot, weak.Make(s))
	}
}

// storeOf returns the Store that adopted a snapshot, nil if none did, and a weak pointer to the snapshot.
func storeOf(reader index.IndexReader) (snapshot *scorch.IndexSnapshot, at weak.Pointer[scorch.IndexSnapshot], s *Store) {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok {
		return nil, at, nil
	}
	own, at, ok := stores.Get(snapshot)
	if ok {
		s = own.Value()
	}
	return snapshot, at, s
}

// Of returns a Reader of the signatures of a fingerprinted field in a snapshot, or nil if no Store
// adopted the snapshot.
func Of(reader index.IndexReader, field string) *Reader {
	snapshot, at, s := storeOf(reader)
	if s == nil {
		return nil
	}
	return s.reader(at, snapshot, field)
}

// Read is Of, but for a snapshot of a plain scorch index it returns a Reader that keeps nothing in
// memory, and whose Lookup must not be called. It returns nil if reader is no snapshot of scorch's.
func Read(reader index.IndexReader, field string) *Reader {
	snapshot, at, s := storeOf(reader)
	switch {
	case s != nil:
		return s.reader(at, snapshot, field)
	case snapshot != nil:
		return (&Store{most: -1}).reader(weak.Make(snapshot), snapshot, field)
	}
	return nil
}

// Adopted reports whether reader is a snapshot of an index of type neardup, which stores
// the signatures of what is written.
func Adopted(reader index.IndexReader) bool {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if ok {
		_, _, ok = stores.Get(snapshot)
	}
	return ok
}

// ErrUnsigned is the error of an index that is not of type neardup.
var ErrUnsigned = errors.New(`wanted an index of type "neardup", got one without signatures: backfill makes one of it`)

// Nil reports whether reader is none: scorch hands out a nil snapshot, without an error,
// once it is closed.
func Nil(reader index.IndexReader) bool {
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	return reader == nil || ok && snapshot == nil
}

// Snapshot returns a snapshot of x, or an error if x is closed.
func Snapshot(x *scorch.Scorch) (*scorch.IndexSnapshot, error) {
	reader, err := x.Reader()
	if err != nil {
		return nil, err
	}
	snapshot, ok := reader.(*scorch.IndexSnapshot)
	if !ok || snapshot == nil {
		return nil, errors.New("neardup: wanted an index that is open, got a closed one")
	}
	return snapshot, nil
}

func (s *Store) reader(at weak.Pointer[scorch.IndexSnapshot], snapshot *scorch.IndexSnapshot, field string) *Reader {
	r := &Reader{
		field: field, name: signature.Field(field).Sketch(), store: s, snapshot: at, segments: snapshot.Segments(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var end uint64
	swept := false
	for _, segment := range r.segments {
		k := key{segment.Id(), field}
		c := s.columns[k]
		switch {
		case c != nil:
		case !slices.Contains(segment.Segment().Fields(), r.name):
			c = &column{Column: table.NewBlank(int(segment.FullSize())), blank: true}
			c.dense.Store(true)
		default:
			if !swept {
				s.sweep(snapshot)
				swept = true
			}
			c = &column{Column: table.NewColumn(int(segment.FullSize()))}
			s.columns[k] = c
		}
		end += uint64(segment.FullSize())
		r.ends, r.columns = append(r.ends, end), append(r.columns, c)
	}
	return r
}

// sweep drops the columns and terms of segments that the snapshot does not have. s.mu must be locked.
func (s *Store) sweep(snapshot *scorch.IndexSnapshot) {
	if s.columns == nil {
		s.columns, s.terms = make(map[key]*column), make(map[key]*terms)
	}
	live := make(map[uint64]bool)
	for _, segment := range snapshot.Segments() {
		live[segment.Id()] = true
	}
	s.kept = 0
	drop := func(k key, t *taken) bool {
		if t.dropped = !live[k.segment]; !t.dropped { // what it has goes with the searches that are using it
			s.kept += t.places
		}
		return t.dropped
	}
	maps.DeleteFunc(s.columns, func(k key, c *column) bool { return drop(k, &c.taken) })
	maps.DeleteFunc(s.terms, func(k key, t *terms) bool { return drop(k, &t.taken) })
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

// segmentOf returns the segment of a document, and its number in there, given the ends of the
// segments' document numbers; false if it is beyond all.
func segmentOf(ends []uint64, doc uint64) (i int, n uint64, ok bool) {
	i, _ = slices.BinarySearch(ends, doc+1)
	if i == len(ends) || doc+1 == 0 {
		return 0, 0, false
	}
	if i > 0 {
		doc -= ends[i-1]
	}
	return i, doc, true
}

// segment is segmentOf among the segments of r.
func (r *Reader) segment(doc uint64) (i int, n uint64, err error) {
	i, n, ok := segmentOf(r.ends, doc)
	if !ok {
		err = fmt.Errorf("neardup: wanted a document of the snapshot, got number %d, beyond its end", doc)
	}
	return i, n, err
}

// Signature is At by a pointer.
func (r *Reader) Signature(doc uint64) (*signature.Signature, error) {
	sig, err := r.At(doc)
	if err != nil {
		return nil, err
	}
	return &sig, nil
}

// At returns the signature of the document of that number. The error is stored.ErrNone if there is none, and wraps
// signature.ErrMalformed or signature.ErrVersion if it cannot be read. Its sketch is shared: it must not be changed.
func (r *Reader) At(doc uint64) (sig signature.Signature, err error) {
	i, n, err := r.segment(doc)
	if err != nil {
		return sig, err
	}
	c := r.columns[i]
	if c.Known(int(n)) { // asked first: another search may be setting it
		sig, ok := c.At(int(n))
		if !ok {
			err = stored.ErrNone
		}
		return sig, err
	}
	v := newValues(r.segments[i], r.name)
	if r.store.most < 0 {
		v.inPlace = nil // the doc values of a plain index are none of ours
	}
	own, err := v.read(n)
	if err == nil || err == stored.ErrNone {
		r.store.keep(c, int(n), own)
	}
	if err != nil {
		return sig, err
	}
	return *own, nil
}

// keep keeps what was read of the n-th document, nil for no signature, if there is a place for it.
func (s *Store) keep(c *column, n int, sig *signature.Signature) {
	if sig == nil || c.dense.Load() || s.makeDense(false, c) {
		c.Set(n, sig)
	}
}

// hasRoom reports whether so many places are left. The caller holds s.mu.
func (s *Store) hasRoom(places int64) bool {
	return s.kept+places <= cmp.Or(s.most, defaultMost)
}

// take takes so many places for t, if there are as many. The caller holds s.mu.
func (s *Store) take(t *taken, places int64) bool {
	if t.dropped || !s.hasRoom(places) {
		return false
	}
	t.places += places
	s.kept += places
	return true
}

// makeDense takes a place for each document of columns, all or none, and more than there
// are if they must be.
func (s *Store) makeDense(must bool, columns ...*column) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var places int64
	dropped := false
	for _, c := range columns {
		if !c.dense.Load() {
			places += int64(c.Len())
			dropped = dropped || c.dropped
		}
	}
	if !must && (dropped || places > 0 && !s.hasRoom(places)) {
		return false
	}
	for _, c := range columns {
		if !c.dense.Swap(true) {
			c.places += int64(c.Len())
		}
	}
	s.kept += places
	return true
}
