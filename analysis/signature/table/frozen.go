package table

import (
	"math/bits"
	"runtime"
	"sync"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Frozen finds, in a Column of which every document is set, those that meet a rule
// with a given signature. It is a Table that does not grow, for millions: 87 bytes a
// document of a million with the default rule.
//
// For the exact hashes and for each band the documents are sorted into buckets of
// eight by some bits of the key (a counting sort: where each bucket begins, and the
// documents), for 4.5 bytes a document. The 32 bits of an entry are as many for the
// document as its number asks for, and what is left, 12 for a million, of the key.
// What an entry points to is first held against the lanes of the band, which tells
// all but the rare wrong one. Open addressing with three quarters of the slots taken
// is no smaller, and a lookup that finds nothing passes 8 slots before it knows. Buckets
// that are one line of the cache each, and need no starts, were slower: a lookup loads a
// third less, but has 16 entries of each bucket to look through.
//
// The blocks of simhash bits are too short for that: a block of 16 bits brings 15
// unrelated documents of a million together. There the documents are sorted by the
// block, with 32 more bits of the simhash beside each, so that those are told apart
// in the same cache line.
//
// Where a Plan asks for tables of more bits, those are as the ones of bands are.
//
// A document may be found under several keys. It is yielded under the first that it
// shares, so nothing need be remembered of those yielded before.
type Frozen struct {
	column  *Column
	scheme  scheme
	scopes  []uint64 // of the documents; nil if all are of scope 0
	docBits int
	exact   buckets
	bands   []bandTable
	blocks  []block // of the simhash, or else:
	masked  []maskedTable
	masks   []uint64 // the bits of each of those
	odd     []int
}

// buckets are documents in the order of some bits of their keys.
type buckets struct {
	starts  []uint32 // in entries, by those bits; one more for the end
	entries []uint32 // a tag of other bits of the key, and the document
}

// bandTable has the documents by their keys of a band.
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

// Freeze makes the tables of a Column by rule and by chosen, which must be valid.
// Document i is found by probes of scope scopes[i] alone; scopes may be nil, for one
// scope 0. Neither the column nor scopes may be changed afterwards.
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
			return exactKey(a.exacts[i], saltOf(a.params, f.scope(i))), a.tokens[i] > 0
		})
	})
	if a.lanes == 0 { // nothing but short texts
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

// simhashJobs are what fills the tables of simhash bits.
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

// inParallel does the jobs, as many at once as there are processors.
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

// sized reports whether more than the exact hash of document i counts.
func (f *Frozen) sized(a *arrays, i int) bool {
	return a.shingles[i] > 0 && uint64(a.shingles[i]) >= uint64(f.scheme.rule.MinShingles)
}

// perBucket is how many documents a bucket has on average.
const perBucket = 8

// sort brings the documents that key gives a key for into buckets.
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

// home is the bucket of a key.
func (b *buckets) home(key uint64) int {
	hi, _ := bits.Mul64(key, uint64(len(b.starts)-1))
	return int(hi)
}

// tag is what an entry keeps of a key: low bits, since the high ones tell the bucket.
func (f *Frozen) tag(key uint64) uint32 { return uint32(key << f.docBits) }

// block has the documents in the order of some bits of their simhashes.
type block struct {
	begin, width int      // of the bits
	starts       []uint32 // in entries, by the value of the bits
	entries      []uint64 // 32 bits that follow those, and the document
}

// place sets the bits of block n.
func (b *block) place(f *Frozen, n int) {
	begin, end := band.Bounds(64, f.scheme.blocks, n)
	b.begin, b.width = begin, min(end-begin, maxBucketBits, bits.Len(uint(f.column.n)))
}

// fill sorts the documents of f: a counting sort.
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

// split returns the bits of a simhash that tell the bucket, and 32 that follow.
func (b *block) split(h uint64) (bucket int, rest uint32) {
	h = bits.RotateLeft64(h, -b.begin)
	return int(h & (1<<b.width - 1)), uint32(h >> b.width)
}

// Size is the memory that the tables take, in bytes, without the Column.
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
