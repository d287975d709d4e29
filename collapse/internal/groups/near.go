package groups

import (
	"math/bits"
	"sync"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
)

// near finds the heads of a page that a hit might be a copy of, as a table.Table does,
// with keys that are cheaper to make and to compare, for up to mostNear heads.
//
// If at most d lanes of a sketch may differ, any d+1 of them have one that agrees:
// the first d+1 lanes, of 16 bits each, are the keys, and besides blocks of the
// simhash, as in package table, and 16 bits of the exact hash. Among a thousand
// heads, 16 such keys bring .25 unrelated heads to be compared on average; among more
// heads they bring too many.
type near struct {
	rule signature.Rule
	all  []*signature.Signature

	slots []uint32 // 16 bits of the key, and 16 of the position plus 1; 0 is free
	shift int      // 32 - log2(len(slots))
	used  int      // slots

	keys    []uint32             // of the signature that was looked up last
	of      *signature.Signature // which that was
	met     []int                // by position, the lookup that last compared it
	lookups int
}

// mostNear is how many heads a near is for, which has room for positions up to
// 65,534.
const mostNear = 1000

// nears has each near that no search uses, to use its memory again.
var nears = sync.Pool{New: func() any { return new(near) }}

// newNear returns an empty near for about n heads, or nil if these or the rule ask
// for a table. It must be released.
func newNear(rule signature.Rule, n int) *near {
	const mostBlocks = 6 // of 10 bits or more
	if n > mostNear || rule.Mode != signature.SketchOnly && rule.Mode != signature.Both && rule.Bits() >= mostBlocks {
		return nil
	}
	t := nears.Get().(*near)
	t.rule, t.used = rule, 0
	t.resize(32 * max(n, 1))
	return t
}

// release gives the memory of t back.
func (t *near) release() {
	clear(t.all)
	t.all, t.met, t.of, t.lookups = t.all[:0], t.met[:0], nil, 0
	nears.Put(t)
}

// First returns the least position of a duplicate of s, or -1.
func (t *near) First(s *signature.Signature) int {
	t.lookups++
	t.key(s)
	first, mask := len(t.all), uint32(len(t.slots)-1)
	for _, key := range t.keys {
		for i := t.slot(key); t.slots[i] != 0; i = (i + 1) & mask {
			if t.slots[i]>>16 != key&(1<<16-1) {
				continue
			}
			at := int(t.slots[i]&(1<<16-1)) - 1
			if at >= first || t.met[at] == t.lookups {
				continue
			}
			t.met[at] = t.lookups
			if t.rule.Duplicates(t.all[at], s) {
				first = at
			}
		}
	}
	if first == len(t.all) {
		return -1
	}
	return first
}

// Add adds a signature after the others.
func (t *near) Add(s *signature.Signature) {
	t.all = append(t.all, s)
	t.met = append(t.met, 0)
	if t.of != s {
		t.key(s)
	}
	t.used += len(t.keys)
	if 4*t.used > 3*len(t.slots) {
		t.resize(4 * t.used)
		for at, s := range t.all {
			t.key(s)
			t.put(at)
		}
		return
	}
	t.put(len(t.all) - 1)
}

// put enters the signature at a position under t.keys.
func (t *near) put(at int) {
	mask := uint32(len(t.slots) - 1)
	for _, key := range t.keys {
		i := t.slot(key)
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = key<<16 | uint32(at+1)
	}
}

func (t *near) slot(key uint32) uint32 { return key * 0x9e3779b1 >> t.shift }

// resize makes the least power of two that is no less than n slots, all free.
func (t *near) resize(n int) {
	width := bits.Len(uint(n - 1))
	if t.shift = 32 - width; cap(t.slots) < 1<<width {
		t.slots = make([]uint32, 1<<width)
	} else {
		t.slots = t.slots[:1<<width]
		clear(t.slots)
	}
}

// key makes the keys of s: 16 bits of it, and above them which bits of it these are.
func (t *near) key(s *signature.Signature) {
	t.of, t.keys = s, t.keys[:0]
	if !t.rule.Long(s) {
		return
	}
	t.keys = append(t.keys, uint32(uint16(s.Exact)))
	if s.Lanes == 0 || t.rule.Mode == signature.ExactOnly {
		return
	}
	which := uint32(0)
	if s.Simhash != 0 && t.rule.Mode != signature.SketchOnly && t.rule.Mode != signature.Both {
		n := t.rule.Bits() + 1
		for i := range n {
			which += 1 << 16
			t.keys = append(t.keys, which|uint32(uint16(simhash.Block(s.Simhash, n, i))))
		}
	}
	if t.rule.Mode != signature.SimhashOnly {
		for i := range s.Lanes - t.rule.Need(s.Lanes) + 1 {
			which += 1 << 16
			t.keys = append(t.keys, which|uint32(s.Sketch.Lane(i)))
		}
	}
}
