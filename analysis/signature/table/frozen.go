package table

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
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
	scheme  scheme
	scopes  []uint64 // of the documents; nil if all have scope 0
	docBits int
	exact   buckets
	bands   []bandTable
	blocks  []block // of the simhash; or else masked
	masked  []maskedTable
	masks   []uint64 // the bits of each block or table
	odd     []int
}

// buckets are documents sorted by some bits of their keys.
type buckets struct {
	starts  []uint32 // indexes into entries, by those bits; one more for the end
	entries []uint32 // a tag of other bits of the key, and the document
}

// bandTable has the documents by their keys for one band.
type bandTable struct {
	laneBand
	buckets
}

// maskedTable has the documents by some bits of their simhashes.
type maskedTable struct {
	mask, step uint64
	buckets
}

func (t *maskedTable) key(h, salt uint64) uint64 {
	return token.Fold(h&t.mask^salt^t.step, keyMul)
}

// Freeze makes the tables of a Column for rule and chosen, which must be valid. Only probes
// of scope scopes[i] find document i; scopes can be nil, which means scope 0 for all.
// Neither the column nor scopes may be changed afterwards.
//
// It panics if there is no column, or scopes has too few.
func Freeze(c *Column, rule signature.Rule, chosen Plan, scopes []uint64) *Frozen {
	f := &Frozen{column: c, scheme: chosen.scheme(rule), scopes: scopes, docBits: bits.Len(uint(max(0, c.n-1)))}
	for i := range c.odd {
		f.odd = append(f.odd, i)
	}
	a := c.packed.Load()
	if a == nil || c.n <= few {
		return f
	}
	var jobs []func()
	jobs = append(jobs, func() {
		f.exact = f.sort(a, func(i int) (uint64, bool) {
			return exactKey(a.exacts[i], saltOf(a.params, f.scope(i))), f.long(a, i)
		})
	})
	if a.lanes == 0 { // only short texts
		inParallel(jobs)
		return f
	}
	f.bands = make([]bandTable, f.scheme.bands(a.lanes))
	for n := range f.bands {
		t := &f.bands[n]
		t.laneBand = f.scheme.band(a.lanes, len(f.bands), n)
		jobs = append(jobs, func() {
			t.buckets = f.sort(a, func(i int) (uint64, bool) {
				if !f.sized(a, i) {
					return 0, false
				}
				return t.key(a.sketch(i), saltOf(a.params, f.scope(i))), true
			})
		})
	}
	inParallel(append(jobs, f.simhashJobs(a)...))
	return f
}

// simhashJobs returns the jobs that fill the tables of simhash bits.
func (f *Frozen) simhashJobs(a *arrays) (jobs []func()) {
	if f.scheme.blocks == 0 {
		return nil
	}
	if f.masks = f.scheme.chosen.masks(); f.masks == nil {
		f.blocks, f.masks = make([]block, f.scheme.blocks), make([]uint64, f.scheme.blocks)
		for n := range f.blocks {
			b := &f.blocks[n]
			b.place(f, n)
			f.masks[n] = (1<<b.width - 1) << b.begin
			jobs = append(jobs, func() { b.fill(f, a) })
		}
		return jobs
	}
	f.masked = make([]maskedTable, len(f.masks))
	for n := range f.masked {
		t := &f.masked[n]
		t.mask, t.step = f.masks[n], uint64(n+1)*keyStep
		jobs = append(jobs, func() {
			t.buckets = f.sort(a, func(i int) (uint64, bool) {
				return t.key(a.simhash[i], saltOf(a.params, f.scope(i))), a.simhash[i] != 0 && f.sized(a, i)
			})
		})
	}
	return jobs
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

// long reports whether document i can match anything.
func (f *Frozen) long(a *arrays, i int) bool {
	return uint64(a.tokens[i]) >= uint64(max(1, f.scheme.rule.MinWords))
}

// sized reports whether document i can match by more than its exact hash.
func (f *Frozen) sized(a *arrays, i int) bool { return a.shingles[i] > 0 && f.long(a, i) }

// perBucket is the average number of documents in a bucket.
const perBucket = 8

// sort sorts the documents for which key returns a key into buckets.
func (f *Frozen) sort(a *arrays, key func(i int) (uint64, bool)) buckets {
	keys := make([]uint64, 0, f.column.n)
	docs := make([]uint32, 0, f.column.n)
	b := buckets{starts: make([]uint32, f.column.n/perBucket+2)}
	for i := range f.column.n {
		if !f.column.has(i) {
			continue
		}
		if k, ok := key(i); ok {
			keys, docs = append(keys, k), append(docs, uint32(i))
			b.starts[b.home(k)+1]++
		}
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

// place sets the bits for block n.
func (b *block) place(f *Frozen, n int) {
	begin, end := band.Bounds(64, f.scheme.blocks, n)
	b.begin, b.width = begin, min(end-begin, maxBucketBits, bits.Len(uint(f.column.n)))
}

// fill sorts the documents of f by a counting sort.
func (b *block) fill(f *Frozen, a *arrays) {
	b.starts = make([]uint32, 1<<b.width+1)
	has := func(i int) bool {
		return f.column.has(i) && a.simhash[i] != 0 && f.sized(a, i)
	}
	for i := range f.column.n {
		if has(i) {
			bucket, _ := b.split(a.simhash[i])
			b.starts[bucket+1]++
		}
	}
	for i := 1; i < len(b.starts); i++ {
		b.starts[i] += b.starts[i-1]
	}
	b.entries = make([]uint64, b.starts[len(b.starts)-1])
	for i := range f.column.n {
		if has(i) {
			bucket, rest := b.split(a.simhash[i])
			b.entries[b.starts[bucket]] = uint64(rest)<<32 | uint64(i)
			b.starts[bucket]++ // now the end of its bucket
		}
	}
	copy(b.starts[1:], b.starts)
	b.starts[0] = 0
}

// split returns the bits of a simhash that select the bucket, and the 32 bits after them.
func (b *block) split(h uint64) (bucket int, rest uint32) {
	h = bits.RotateLeft64(h, -b.begin)
	return int(h & (1<<b.width - 1)), uint32(h >> b.width)
}

// Size returns the memory of the tables in bytes, without the Column.
func (f *Frozen) Size() int {
	n := f.exact.size() + 8*len(f.scopes)
	for i := range f.bands {
		n += f.bands[i].size()
	}
	for i := range f.blocks {
		n += 4*len(f.blocks[i].starts) + 8*len(f.blocks[i].entries)
	}
	for i := range f.masked {
		n += f.masked[i].size()
	}
	return n
}

func (b *buckets) size() int { return 4*len(b.starts) + 4*len(b.entries) }
