package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/band"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
)

// Crowded marks the signatures that might have a duplicate by the rule, which must be
// valid, among the others: all that have one, and a few more that only share a band of
// lanes with another. nil stands for no signature.
//
// Most documents have no near-duplicate at all. Before grouping a large set, Crowded finds
// these documents in a few tenths of a microsecond each, without sorting the set. It looks
// at the keys of the first band, then at the keys of the second, and so on, so that one small
// table is enough, which stays in the cache. Crowded, and Connect of the signatures it
// marks, together take .4 to .7 of the time of Connect of all if no signature has a
// near-duplicate, and .75 to .9 if one in six is a copy (go test -bench Crowded; 300 to
// 100,000 signatures, processor time).
func Crowded(rule signature.Rule, all []*signature.Signature) []bool {
	crowded := make([]bool, len(all))
	p := newScheme(rule)
	if p.scan {
		for i, s := range all {
			crowded[i] = s != nil && rule.Long(s)
		}
		return crowded
	}
	blocks := p.blocks
	p.blocks = 0
	var bands []filed
	var buf keys
	for i, s := range all {
		if s == nil {
			continue
		}
		own, _ := p.append(buf[:0], s)
		for len(bands) < len(own) {
			bands = append(bands, make(filed, 0, len(all)))
		}
		for n, key := range own {
			bands[n] = append(bands[n], tag(key)|uint64(i))
		}
	}
	slots := make([]uint64, 1<<bits.Len(uint(2*len(all))))
	for _, b := range bands {
		clear(slots)
		b.meet(slots, crowded)
	}
	if blocks > 0 {
		c := closeSimhashes{crowded: crowded, limit: p.most}
		for i, s := range all {
			if s != nil && s.Simhash != 0 && p.sized(s) {
				c.add(s.Simhash, i)
			}
		}
		for i := range blocks {
			c.meet(band.Bounds(64, blocks, i))
		}
	}
	return crowded
}

// filed has the keys of one band: 32 bits of each, and the position of its signature.
type filed []uint64

// meet marks the signatures that share a key with another.
func (b filed) meet(slots []uint64, crowded []bool) {
	shift := 65 - bits.Len(uint(len(slots)))
	mask := uint64(len(slots) - 1)
next:
	for _, entry := range b {
		entry++ // 0 means free
		want := tag(entry)
		i := want >> shift
		for ; slots[i] != 0; i = (i + 1) & mask {
			if tag(slots[i]) == want {
				crowded[uint32(slots[i])-1] = true
				crowded[uint32(entry)-1] = true
				continue next
			}
		}
		slots[i] = entry
	}
}

// closeSimhashes marks simhashes within limit of another. Among 20,000 unrelated simhashes
// most share a block of 16 bits with another, so these are compared.
type closeSimhashes struct {
	crowded  []bool
	limit    int
	all      []placed
	sorted   []placed
	starts   []uint32
	loose    []placed // of a bucket, not marked yet
	accepted []placed // of a bucket, marked
}

// placed is a simhash with the position of its signature.
type placed struct {
	simhash  uint64
	position int
}

func (c *closeSimhashes) add(h uint64, position int) {
	c.all = append(c.all, placed{h, position})
}

// maxBucketBits is the greatest number of a block's bits that select the bucket.
const maxBucketBits = 16

// meet marks simhashes that are close and share the bits from begin to end, by a counting
// sort on these bits and comparisons within each bucket.
func (c *closeSimhashes) meet(begin, end int) {
	width := min(end-begin, maxBucketBits, bits.Len(uint(len(c.all))))
	bucket := func(p placed) uint64 { return p.simhash >> begin & (1<<width - 1) }
	if c.sorted == nil {
		c.sorted = make([]placed, len(c.all))
		c.starts = make([]uint32, 1<<maxBucketBits+1)
	}
	starts := c.starts[:1<<width+1]
	clear(starts)
	for _, p := range c.all {
		starts[bucket(p)+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	for _, p := range c.all {
		b := bucket(p)
		c.sorted[starts[b]] = p
		starts[b]++ // now the end of its bucket
	}
	from := uint32(0)
	for _, to := range starts[:len(starts)-1] {
		if to-from > 1 {
			c.compare(c.sorted[from:to])
		}
		from = to
	}
}

// compare marks the simhashes of one bucket that are close to another. It compares each
// with all that are not marked, but with marked ones only until it is marked itself: in a
// large family that is once.
func (c *closeSimhashes) compare(bucket []placed) {
	c.loose, c.accepted = c.loose[:0], c.accepted[:0]
	for _, p := range bucket {
		for _, other := range c.accepted {
			if c.crowded[p.position] {
				break
			}
			c.crowded[p.position] = simhash.Distance(p.simhash, other.simhash) <= c.limit
		}
		still := c.loose[:0]
		for _, other := range c.loose {
			if simhash.Distance(p.simhash, other.simhash) <= c.limit {
				c.crowded[p.position], c.crowded[other.position] = true, true
				c.accepted = append(c.accepted, other)
			} else {
				still = append(still, other)
			}
		}
		c.loose = still
		if c.crowded[p.position] {
			c.accepted = append(c.accepted, p)
		} else {
			c.loose = append(c.loose, p)
		}
	}
}
