package table

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Frozen finds, in a Column of which every document is set, the documents that meet a rule
// with a given signature. It is a Table that does not grow, for millions of documents: with
// the default rule it takes 87 bytes a document at a million.
//
// For the exact hashes and for each band, some bits of the key sort the documents into
// buckets of eight (a counting sort: where each bucket begins, and the documents), for 4.5
// bytes a document. An entry has 32 bits: as many as the document's number needs, and in
// the rest, 12 bits at a million, a part of the key. A lookup first compares the lanes of
// the band, which rejects all but a few wrong entries. Open addressing with three quarters
// of the slots taken is no smaller, and a lookup that finds nothing passes 8 slots before
// it ends. Buckets of one cache line each, which need no starts, were slower: a lookup
// loads a third less, but has to look through 16 entries in each bucket.
//
// The blocks of simhash bits are too short for this: a block of 16 bits brings 15 unrelated
// documents of a million together. There the documents are sorted by the block, and each
// entry has 32 more bits of the simhash, so that unrelated documents are rejected in the
// same cache line.
//
// If a Plan asks for tables of more bits, these are built like the tables of bands.
//
// A document can be found under several keys. It is yielded under the first key that it
// shares, so the lookup need not remember which documents it has yielded.
type Frozen struct {
	column  *Column
	keys    *Keys
	scopes  []uint64 // of the documents; nil if all have scope 0
	docBits int
	tables  []buckets // by key, as many as there are without blocks; nil if all documents are compared
	blocks  []block   // by key, after those of tables
	odd     []int
}

// buckets are documents sorted by some bits of their keys.
type buckets struct {
	starts  []uint32 // indexes into entries, by those bits; one more for the end
	entries []uint32 // a tag of other bits of the key, and the document
}

// Freeze makes the tables of a Column for rule and chosen, which must be valid. Only probes
// of scope scopes[i] find document i; scopes can be nil, which means scope 0 for all.
// Neither the column nor scopes may be changed afterwards.
//
// It panics if there is no column, or scopes has too few.
func Freeze(c *Column, rule signature.Rule, chosen Plan, scopes []uint64) *Frozen {
	f := &Frozen{column: c, scopes: scopes, docBits: bits.Len(uint(max(0, c.n-1)))}
	for i := range c.odd {
		f.odd = append(f.odd, i)
	}
	a := c.packed.Load()
	if a == nil || c.n <= few {
		return f
	}
	f.keys = chosen.Keys(rule, a.lanes)
	n := 1
	if a.lanes > 0 { // else all texts are short
		n += len(f.keys.bands)
		if len(f.keys.masks) > maxBlocks {
			n += len(f.keys.masks)
		} else {
			f.blocks = make([]block, len(f.keys.masks))
		}
	}
	f.tables = make([]buckets, n)
	var exact, sized, hashed []uint32 // the documents with keys of each kind
	for i := range c.n {
		if !c.has(i) {
			continue
		}
		s := a.at(i)
		keys := f.keys.count(&s)
		if keys > 0 {
			exact = append(exact, uint32(i))
		}
		if keys > 1 {
			sized = append(sized, uint32(i))
		}
		if keys > 1+len(f.keys.bands) {
			hashed = append(hashed, uint32(i))
		}
	}
	jobs := make([]func(), 0, n+len(f.blocks))
	for n := range f.tables {
		docs := sized
		if n == 0 {
			docs = exact
		} else if n > len(f.keys.bands) {
			docs = hashed
		}
		jobs = append(jobs, func() { f.tables[n] = f.sort(a, n, docs) })
	}
	for n := range f.blocks {
		f.blocks[n].place(f, n)
		jobs = append(jobs, func() { f.blocks[n].fill(a, hashed) })
	}
	inParallel(jobs)
	return f
}

// inParallel does the jobs, as many at a time as there are processors.
func inParallel(jobs []func()) {
	var wait sync.WaitGroup
	queue := make(chan func())
	for range min(len(jobs), runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for job := range queue {
				job()
			}
		})
	}
	for _, job := range jobs {
		queue <- job
	}
	close(queue)
	wait.Wait()
}

func (f *Frozen) scope(i int) uint64 {
	if f.scopes == nil {
		return 0
	}
	return f.scopes[i]
}

// perBucket is the average number of documents in a bucket.
const perBucket = 8

// sort sorts documents by their n-th keys into buckets.
func (f *Frozen) sort(a *arrays, n int, docs []uint32) buckets {
	keys := make([]uint64, len(docs))
	b := buckets{starts: make([]uint32, f.column.n/perBucket+2)}
	salt := saltOf(a.params, 0)
	var s signature.Signature
	for i, doc := range docs {
		s.Exact, s.Simhash, s.Sketch = a.exacts[doc], a.simhash[doc], a.sketch(int(doc)) // what keys are made of
		keys[i] = f.keys.key(n, &s, salt^f.scope(int(doc)))
		b.starts[b.home(keys[i])+1]++
	}
	for i := 1; i < len(b.starts); i++ {
		b.starts[i] += b.starts[i-1]
	}
	b.entries = make([]uint32, len(docs))
	for n, k := range keys {
		at := b.home(k)
		b.entries[b.starts[at]] = f.tag(k) | docs[n]
		b.starts[at]++ // now the end of its bucket
	}
	copy(b.starts[1:], b.starts)
	b.starts[0] = 0
	return b
}

// home returns the bucket of a key.
func (b *buckets) home(key uint64) int {
	hi, _ := bits.Mul64(key, uint64(len(b.starts)-1))
	return int(hi)
}

// tag returns the part of a key that an entry keeps: its low bits, since the high bits
// select the bucket.
func (f *Frozen) tag(key uint64) uint32 { return uint32(key << f.docBits) }

// block has the documents sorted by some bits of their simhashes.
type block struct {
	begin, width int      // of the bits
	starts       []uint32 // indexes into entries, by the value of the bits
	entries      []uint64 // 32 bits after those, and the document
}

// maxBucketBits is the greatest number of a block's bits that select the bucket.
const maxBucketBits = 16

// place sets the bits for block n.
func (b *block) place(f *Frozen, n int) {
	begin, end := sketch.Bounds(64, len(f.blocks), n)
	b.begin, b.width = begin, min(end-begin, maxBucketBits, bits.Len(uint(f.column.n)))
}

// fill sorts documents by a counting sort.
func (b *block) fill(a *arrays, docs []uint32) {
	b.starts = make([]uint32, 1<<b.width+1)
	for _, doc := range docs {
		bucket, _ := b.split(a.simhash[doc])
		b.starts[bucket+1]++
	}
	for i := 1; i < len(b.starts); i++ {
		b.starts[i] += b.starts[i-1]
	}
	b.entries = make([]uint64, len(docs))
	for _, doc := range docs {
		bucket, rest := b.split(a.simhash[doc])
		b.entries[b.starts[bucket]] = uint64(rest)<<32 | uint64(doc)
		b.starts[bucket]++ // now the end of its bucket
	}
	copy(b.starts[1:], b.starts)
	b.starts[0] = 0
}

// split returns the bits of a simhash that select the bucket, and the 32 bits after them.
func (b *block) split(h uint64) (bucket int, rest uint32) {
	h = bits.RotateLeft64(h, -b.begin)
	return int(h & (1<<b.width - 1)), uint32(h >> b.width)
}
