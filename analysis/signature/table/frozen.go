package table

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	mmap "github.com/blevesearch/mmap-go"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Frozen finds, in a Column of which every document is set, the documents that meet a rule
// with a given signature. It is a Table that does not grow, for millions of documents: with
// the default rule it takes 71 to 73 bytes a document.
//
// For each key, some bits of it sort the documents into
// buckets of eight (a counting sort: where each bucket begins, and the documents), for 4.5
// bytes a document. An entry has 32 bits: as many as the document's number needs, and in
// the rest, 12 bits at a million, a part of the key. A lookup first compares the lanes of
// the band, which rejects all but a few wrong entries. Open addressing with three quarters
// of the slots taken is no smaller, and a lookup that finds nothing passes 8 slots before
// it ends. Buckets of one cache line each, which need no starts, were slower: a lookup
// loads a third less, but has to look through 16 entries in each bucket.
//
// A block of simhash bits is too short for this: one of 16 bits brings 15 unrelated documents of a
// million together. There the key is the simhash itself, from the block on, so that the part of it in an entry
// rejects all of these but one, by the bits in which it differs. If a Plan asks for tables of more bits,
// these are built like the tables of bands.
//
// A document can be found under several keys. It is yielded under the first key that it
// shares, so the lookup need not remember which documents it has yielded.
//
// To make tables takes as long as some six lookups that compare all documents. So there is a Frozen without tables,
// too, for a set that might not be asked that often: see Keyed.
type Frozen struct {
	column  *Column
	keys    *Keys
	scopes  []uint64 // of the documents; nil if all have scope 0
	docBits int
	tables  []buckets // by key; nil if all documents are compared
	odd     []int
	groups  []uint64 // of the documents; nil if they are not known
	byGroup []uint32 // the documents, in the order of their groups
	scans   atomic.Int32
}

// buckets are documents sorted by some bits of their keys.
type buckets struct {
	starts  []uint32 // indexes into entries, by those bits; one more for the end
	entries []uint32 // a tag of other bits of the key, and the document
}

// Freeze returns a Frozen of a Column that compares a probe with all documents. Only probes of scope scopes[i] find
// document i; nil means scope 0 for all. groups[i] is the group of document i, for First: 0 if it is in none, and nil
// if nobody asks for them. Neither the column nor these may be changed afterwards.
//
// It panics if there is no column, or scopes has too few.
func Freeze(c *Column, scopes, groups []uint64) *Frozen {
	f := &Frozen{column: c, scopes: scopes, groups: groups, docBits: bits.Len(uint(max(0, c.n-1)))}
	for i := range c.odd {
		f.odd = append(f.odd, i)
	}
	for i := range groups {
		f.byGroup = append(f.byGroup, uint32(i))
	}
	slices.SortFunc(f.byGroup, func(x, y uint32) int { return cmp.Compare(groups[x], groups[y]) })
	return f
}

// Due reports whether f has compared all documents so often that tables would have paid.
func (f *Frozen) Due() bool { return f.scans.Load() >= maxScans }

// maxScans is how often all documents are compared before tables are due.
const maxScans = 8

// Keyed returns f with tables for rule and chosen, which must be valid.
func (f *Frozen) Keyed(rule signature.Rule, chosen Plan) *Frozen {
	c := f.column
	f = &Frozen{column: c, scopes: f.scopes, groups: f.groups, byGroup: f.byGroup, docBits: f.docBits, odd: f.odd}
	a := c.packed.Load()
	if a == nil || c.n <= few {
		return f
	}
	f.keys = chosen.keys(rule, a.lanes, fewest)
	f.tables = make([]buckets, 1)
	if a.lanes > 0 { // else all texts are short
		f.tables = make([]buckets, 1+len(f.keys.bands)+len(f.keys.masks))
	}
	counts := make([]uint16, c.n) // of the keys of each document
	for i := range counts {
		if c.has(i) {
			s := a.at(i)
			counts[i] = uint16(f.keys.count(&s))
		}
	}
	var wait sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(f.tables)) {
		wait.Go(func() {
			keys := make([]uint64, c.n) // whose memory serves for all
			for n := int(next.Add(1)) - 1; n < len(f.tables); n = int(next.Add(1)) - 1 {
				f.tables[n] = f.sort(a, n, counts, keys)
			}
		})
	}
	wait.Wait()
	f.sortGroups()
	return f
}

// Scope returns the scope of document i.
func (f *Frozen) Scope(i int) uint64 {
	if f.scopes == nil {
		return 0
	}
	return f.scopes[i]
}

// fewest is the number of lanes from which on a band brings hardly any unrelated documents together. Where bands are
// shorter, a document must share two before its signature is read: 28 bands of two lanes bring 400 of a million
// together, and few of them twice.
const fewest = 4

// perBucket is the average number of documents in a bucket.
const perBucket = 8

// sort sorts the documents that have it by their n-th keys into buckets. counts is how many keys each document has, and
// keys is memory for as many.
func (f *Frozen) sort(a *arrays, n int, counts []uint16, keys []uint64) buckets {
	many := f.column.n/perBucket + 1
	if n >= f.keys.firstBlock() { // a bucket must not end within a block
		many = 1 << min(bits.OnesCount64(f.keys.masks[n-1-len(f.keys.bands)]), bits.Len(uint(f.column.n/perBucket)), maxBucketBits)
	}
	room := f.room(many + 1 + len(counts))
	b := buckets{starts: room[:many+1], entries: room[many+1:]}
	salt := saltOf(a.params, 0)
	var s signature.Signature
	for doc, count := range counts {
		if int(count) <= n {
			continue
		}
		s.Exact, s.Simhash, s.Sketch = a.exacts[doc], a.simhash[doc], a.sketch(doc) // what keys are made of
		keys[doc] = f.keys.frozen(n, &s, salt^f.Scope(doc))
		b.starts[b.home(keys[doc])+1]++
	}
	for i := 1; i < len(b.starts); i++ {
		b.starts[i] += b.starts[i-1]
	}
	b.entries = b.entries[:b.starts[many]]
	for doc, count := range counts {
		if int(count) <= n {
			continue
		}
		at := b.home(keys[doc])
		b.entries[b.starts[at]] = f.tag(keys[doc]) | uint32(doc)
		b.starts[at]++ // now the end of its bucket
	}
	copy(b.starts[1:], b.starts)
	b.starts[0] = 0
	return b
}

// room returns n words for a table. Large ones are memory that the garbage collector does not count: it lets the memory
// that it counts grow to twice of what is used. They are given back once f is collected, so code that reads tables
// keeps f alive.
func (f *Frozen) room(n int) []uint32 {
	if n >= 1<<16 {
		if m, err := mmap.MapRegion(nil, 4*n, mmap.COPY, mmap.ANON, 0); err == nil {
			runtime.AddCleanup(f, func(m mmap.MMap) { _ = m.Unmap() }, m)
			return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(m))), n)
		}
	}
	return make([]uint32, n)
}

// home returns the bucket of a key.
func (b *buckets) home(key uint64) int {
	hi, _ := bits.Mul64(key, uint64(len(b.starts)-1))
	return int(hi)
}

// tag returns the part of a key that an entry keeps: its low bits, since the high bits
// select the bucket.
func (f *Frozen) tag(key uint64) uint32 { return uint32(key << f.docBits) }

// maxBucketBits is the greatest number of a block's bits that select the bucket.
const maxBucketBits = 16

// firstBlock returns the number of the first key that is a block of the simhash.
func (k *Keys) firstBlock() int {
	if len(k.masks) > maxBlocks { // they are unions of blocks
		return 1 + len(k.bands) + len(k.masks)
	}
	return 1 + len(k.bands)
}

// frozen returns the n-th key of s in a Frozen. That of a block is the simhash, rotated so that the block comes first,
// with the salt in it: distances stay the same.
func (k *Keys) frozen(n int, s *signature.Signature, salt uint64) uint64 {
	if n < k.firstBlock() {
		return k.key(n, s, salt)
	}
	return bits.RotateLeft64(s.Simhash^salt, -bits.Len64(k.masks[n-1-len(k.bands)]))
}
