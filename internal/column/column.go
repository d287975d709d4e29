// Package column keeps signatures of indexed documents in memory, for the index type to
// fill and for collapse to read. A Store belongs to an index, a Reader reads one field
// of one snapshot, a Lookup finds near-duplicates in it, and Families says which
// documents can be near-duplicates at all.
//
// To read a signature from disk takes 1 µs where it is in doc values, and 1 to 50 µs where
// everything stored with the document has to be unpacked. To compare two takes 0.01 µs. So the
// signatures that searches meet are kept, by segment. A segment of scorch never changes, so the
// signature of its n-th document never does, either. What is kept of a segment that was merged
// away is dropped when a new segment is first met.
//
// A Store has places for a million signatures of about 230 bytes: 240 MB an index. All fields
// share them, and so do the terms of fields that searches group by. When the first signature of a
// segment is kept, the segment takes a place for each of its documents: side by side, signatures
// are found and compared fastest. If fewer places are left, the segment takes two places for each
// signature that a search meets; if none is left, its signatures are read anew each time. A segment
// without a signature of a field takes no memory for that field. A quarter of a byte for each
// document and field comes on top, and 8 bytes for each document and rule, of at most 8 rules,
// whose families are known. A Lookup needs all signatures in memory, and keeps them there whatever
// the number of places. A search keeps what it has read of an older snapshot until it ends.
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
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/weakmap"
)

// Store has the signatures of one index that are in memory. The zero Store is
// empty. It is safe for concurrent use.
type Store struct {
	mu      sync.Mutex              // held to change columns
	columns sync.Map                // key -> *column
	latest  atomic.Pointer[readers] // of the newest reader
	looked  atomic.Pointer[lookups] // of the newest Lookup
	sweeps  int                     // how often columns were dropped; guarded by mu
	terms   map[key]*terms          // guarded by mu
	kept    atomic.Int64            // places that all columns and terms take; changed with mu held
	most    int64                   // defaultMost if 0; none if it is negative

	work   sync.WaitGroup // what is done beside searches, until ctx is done
	ctx    context.Context
	cancel context.CancelFunc
	closed bool

	findings []*finding // of the newest snapshot, guarded by mu
}

// defaultMost is how many places for signatures a Store has.
const defaultMost = 1 << 20

type key struct {
	segment uint64
	field   string
}

// column has a place for every document of a segment, filled when first asked for.
type column struct {
	*table.Column
	taken
	read    atomic.Int64 // documents that are known
	dense   atomic.Bool  // it has a place for each document
	damaged sync.Map     // int -> error, of those set to nil because they cannot be read
	few     sync.Map     // int -> *signature.Signature, of those met where it is not dense

	mu       sync.Mutex // held to freeze
	frozen   []frozen   // the newest last
	passages *passages  // nil until they are asked for
	scope    string     // the field of scopes
	scopes   []uint64   // by document; nil until they are asked for
}

// taken is what is kept of a segment, guarded by Store.mu.
type taken struct {
	places  int64
	dropped bool // it takes no more
}

// passages finds the documents of a segment by what is selected of them: see Passages. It is not changed once it is made.
type passages struct {
	*winnow.Table
	params  uint32
	damaged int
}

// stores finds the Store of a snapshot by its address.
//
// A reader of the index type's own, which embeds the snapshot and has the Store, would be
// plainer. But bleve asserts that a reader is a *scorch.IndexSnapshot before it counts what searches
// read and how many use synonyms (IndexImpl.SearchInContext), and so do packages that look into
// segments: with a reader of another type these figures would stand still without an error.
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
		return newReader(&Store{most: -1}, snapshot, field)
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

func newReader(s *Store, snapshot *scorch.IndexSnapshot, field string) *Reader {
	return s.reader(weak.Make(snapshot), snapshot, field)
}

func (s *Store) reader(at weak.Pointer[scorch.IndexSnapshot], snapshot *scorch.IndexSnapshot, field string) *Reader {
	segments := snapshot.Segments()
	r := &Reader{field: field, name: signature.Field(field).Sketch(), store: s, snapshot: at, segments: segments}
	s.mu.Lock()
	sweeps := s.sweeps
	s.mu.Unlock()
	latest := s.latest.Load()
	same := latest.alike(field, segments)
	if latest != nil && same == len(segments) {
		r.ends, r.columns = latest.ends[:same], latest.columns[:same]
		return r
	}
	r.ends, r.columns = make([]uint64, 0, len(segments)), make([]*column, 0, len(segments))
	ids := make([]uint64, 0, len(segments))
	var end uint64
	for i, segment := range segments {
		end += uint64(segment.FullSize())
		r.ends, ids = append(r.ends, end), append(ids, segment.Id())
		if i < same {
			r.columns = append(r.columns, latest.columns[i])
			continue
		}
		gone := latest == nil || same < len(latest.ids)
		r.columns = append(r.columns, s.column(snapshot, segment, key{segment.Id(), field}, r.name, gone))
	}
	if same < len(segments) {
		s.remember(&readers{field, ids, r.ends, r.columns}, sweeps)
	}
	return r
}

// readers is what the newest reader of a Store has found. In memory, bleve never merges segments: of
// hundreds, all but one are the same after a write, in the same order, and need not be looked up one by one.
type readers struct {
	field   string
	ids     []uint64 // of the segments
	ends    []uint64 // of the segments' document numbers
	columns []*column
}

// remember makes r the newest reader, if nothing was dropped since sweeps was read but by r itself: what
// is dropped counts nowhere, and must not be used again.
func (s *Store) remember(r *readers, sweeps int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sweeps != sweeps && slices.ContainsFunc(r.columns, func(c *column) bool { return c.dropped }) {
		return
	}
	s.latest.Store(r)
}

// alike returns how many segments are those that r has, from the first on.
func (r *readers) alike(field string, segments []*scorch.SegmentSnapshot) (n int) {
	if r == nil || r.field != field {
		return 0
	}
	for n < min(len(r.ids), len(segments)) && r.ids[n] == segments[n].Id() {
		n++
	}
	return n
}

// column returns the column of a segment of snapshot, and makes it if it is new. Of a
// segment in which no document has the stored field, nothing is kept. gone says that segments might be
// gone that have a column.
func (s *Store) column(snapshot *scorch.IndexSnapshot, segment *scorch.SegmentSnapshot, k key, stored string, gone bool) *column {
	if c, ok := s.columns.Load(k); ok {
		return c.(*column)
	}
	size := int(segment.FullSize())
	if !slices.Contains(segment.Segment().Fields(), stored) {
		c := &column{Column: table.NewBlank(size)}
		c.dense.Store(true)
		c.read.Store(int64(size))
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.columns.Load(k); ok {
		return c.(*column)
	}
	if gone {
		s.sweep(segmentIDs(snapshot))
	}
	c := &column{Column: table.NewColumn(size)}
	s.columns.Store(k, c)
	return c
}

// sweep drops the columns and terms of segments that are not live. s.mu must be locked.
func (s *Store) sweep(live map[uint64]bool) {
	s.sweeps++
	s.latest.Store(nil)
	var total int64
	drop := func(k key, t *taken) bool {
		if t.dropped = !live[k.segment]; !t.dropped { // what it has goes with the searches that are using it
			total += t.places
		}
		return t.dropped
	}
	s.columns.Range(func(k, c any) bool {
		if drop(k.(key), &c.(*column).taken) {
			s.columns.Delete(k)
		}
		return true
	})
	maps.DeleteFunc(s.terms, func(k key, t *terms) bool { return drop(k, &t.taken) })
	s.kept.Store(total)
}

// segmentIDs are the ids of the segments of a snapshot.
func segmentIDs(snapshot *scorch.IndexSnapshot) map[uint64]bool {
	all := make(map[uint64]bool)
	for _, segment := range snapshot.Segments() {
		all[segment.Id()] = true
	}
	return all
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
	if met, ok := c.few.Load(int(n)); ok {
		*sig = *met.(*signature.Signature)
		return true, nil
	}
	own, damage := newValues(r.segments[i], r.name).read(n)
	r.store.keep(c, int(n), own, damage)
	if own != nil {
		*sig = *own
	}
	return own != nil, damage
}

// NearBySimhash returns the documents of docs whose simhash differs from h in at most so many bits,
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

// At is Read for a document that has a signature. The error wraps stored.ErrNone if it has none.
func (r *Reader) At(doc uint64) (sig signature.Signature, err error) {
	ok, err := r.Read(doc, &sig)
	if err == nil && !ok {
		err = stored.ErrNone
	}
	return sig, err
}

// keep keeps what was read of the n-th document, if there is a place for it.
func (s *Store) keep(c *column, n int, sig *signature.Signature, damage error) {
	// Damage and the few are kept by one at a time: two that both find a document not known
	// would both take places for it, and one might set a document whose damage the other takes
	// back.
	switch {
	case damage != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, known := c.damaged.Load(n); known || !s.take(&c.taken, 1) {
			return
		}
		c.damaged.Store(n, damage)
	case sig != nil && !c.dense.Load() && !s.makeDense(false, c):
		s.mu.Lock()
		defer s.mu.Unlock()
		if c.dense.Load() {
			break // another has made it dense meanwhile
		}
		if _, known := c.few.Load(n); !known && s.take(&c.taken, fewPlaces) {
			c.few.Store(n, sig)
		}
		return
	}
	if c.Set(n, sig) {
		c.read.Add(1)
	}
}

// fewPlaces is how many places a signature takes that is not among others.
const fewPlaces = 2

// hasRoom reports whether so many places are left. The caller holds s.mu.
func (s *Store) hasRoom(places int64) bool {
	return s.kept.Load()+places <= cmp.Or(s.most, defaultMost)
}

// take takes so many places for t, if there are as many. The caller holds s.mu.
func (s *Store) take(t *taken, places int64) bool {
	if t.dropped || !s.hasRoom(places) {
		return false
	}
	t.places += places
	s.kept.Add(places)
	return true
}

// makeDense takes a place for each document of columns, all or none, and more than there
// are if they must be.
func (s *Store) makeDense(must bool, columns ...*column) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var places int64
	for _, c := range columns {
		if !c.dense.Load() {
			places += int64(c.Len())
		}
	}
	if !must && places > 0 && (!s.hasRoom(places) || slices.ContainsFunc(columns, func(c *column) bool { return c.dropped })) {
		return false
	}
	for _, c := range columns {
		if c.dense.Swap(true) {
			continue
		}
		c.places += int64(c.Len())
		c.few.Range(func(any, any) bool { // they are read again
			c.places -= fewPlaces
			places -= fewPlaces
			return true
		})
		c.few.Clear()
	}
	s.kept.Add(places)
	return true
}
