// Package table finds, in a set of signatures, those that meet a rule with a given
// signature, without comparing it with all of them, and misses none. A [Table] grows by one
// signature at a time. A [Frozen] holds the millions of a [Column], and a [Probe] looks a
// signature up in several of them. [Connect] and [Leaders] group a whole set. [Keys] and
// [Sets] are for code that groups on disk or in another engine.
//
//	t := table.New(signature.Rule{})
//	t.Add(&a)
//	i := t.First(&b) // 0 if a and b are duplicates, else -1
//
// # How
//
// If at most d of a sketch's lanes may differ, then of d+1 disjoint bands of lanes at least
// one agrees as a whole. If at most h bits of the simhash may differ, then of h+1 blocks of
// bits at least one agrees (sketch.Sketch.Band). So each signature has a key for every band and
// block, and one for the exact hash: 11 + 4 + 1 keys for the default rule. Every signature
// that meets the rule with a given one shares one of its keys. The signatures found by a
// key are compared by the rule itself.
//
// The keys share one open-addressing table with linear probing. A slot has 32 bits of the
// key and the position of the signature. So growing does not read signatures, and a lookup
// reads only those with the same 32 bits.
//
// Blocks of less than 10 bits would bring everything together. So for rules with a Hamming
// distance above 5 all simhashes are compared instead, at about a nanosecond each. The
// first few signatures are compared too, because keys do not pay for so few.
package table

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
)

const (
	few      = 16 // signatures up to which all are compared
	minSlots = 1024
)

// Table holds signatures. Lookups can run at the same time, but not at the same time as
// Add.
type Table struct {
	rule      signature.Rule
	keys      *Keys // of most signatures; nil as long as there are few
	all       []*signature.Signature
	simhashes []uint64
	slots     []uint64 // a key's top 32 bits, and a position plus 1; 0 is free
	used      int
	shift     int // 64 - log2(len(slots))
}

// New returns an empty Table for rule, which must be valid.
func New(rule signature.Rule) *Table { return &Table{rule: rule} }

// Len is the number of signatures.
func (t *Table) Len() int { return len(t.all) }

// Add adds a signature, at position Len. s is kept, and must not be changed.
func (t *Table) Add(s *signature.Signature) {
	t.all = append(t.all, s)
	t.simhashes = append(t.simhashes, s.Simhash)
	switch n := len(t.all); {
	case n == few+1:
		for i, earlier := range t.all {
			t.file(earlier, i)
		}
	case n > few:
		t.file(s, n-1)
	}
}

// keysOf returns what makes the keys of s. Nearly all signatures have as many lanes as the
// first.
func (t *Table) keysOf(s *signature.Signature) *Keys {
	if t.keys != nil && (s.Lanes == t.keys.lanes || s.Lanes == 0) {
		return t.keys
	}
	return Plan{}.Keys(t.rule, s.Lanes)
}

// file enters the keys of the signature at a position.
func (t *Table) file(s *signature.Signature, position int) {
	k := t.keysOf(s)
	if t.keys == nil || t.keys.lanes == 0 {
		t.keys = k
	}
	var buf keys
	own := k.Append(buf[:0], s)
	t.used += len(own)
	if len(t.slots) == 0 || 2*t.used > len(t.slots) {
		t.resize(3 * t.used)
	}
	for _, key := range own {
		t.put(tag(key) | uint64(position+1))
	}
}

// keys has room for the keys of a signature by the default rule.
type keys [16]uint64

// tag returns the part of a key that a slot keeps.
func tag(key uint64) uint64 { return key &^ (1<<32 - 1) }

func (t *Table) put(slot uint64) {
	i := slot >> t.shift
	for t.slots[i] != 0 {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i] = slot
}

// Reset removes all signatures and keeps the memory.
func (t *Table) Reset() {
	clear(t.all)
	t.all, t.simhashes = t.all[:0], t.simhashes[:0]
	if t.used > 0 {
		clear(t.slots)
		t.used = 0
	}
}

// Reserve makes room for n signatures in all.
func (t *Table) Reserve(n int) {
	if n <= few {
		return
	}
	t.resize(3 * max(t.used, len(keys{})*n*2/3))
	t.all = slices.Grow(t.all, n)
	t.simhashes = slices.Grow(t.simhashes, n)
}

// resize makes room for n slots, rounded up to a power of two.
func (t *Table) resize(n int) {
	old := t.slots
	t.slots = make([]uint64, max(minSlots, 1<<bits.Len(uint(n))))
	t.shift = 65 - bits.Len(uint(len(t.slots)))
	// Start at a free slot, so that signatures with one key keep their order, even if some
	// of them are at the beginning and come after others at the end.
	first := max(0, slices.Index(old, 0))
	for _, part := range [...][]uint64{old[first:], old[:first]} {
		for _, slot := range part {
			if slot != 0 {
				t.put(slot)
			}
		}
	}
}

// First returns the lowest position of a duplicate of s, or -1.
func (t *Table) First(s *signature.Signature) int {
	for i := range t.Each(s) {
		return i
	}
	return -1
}

// Each yields the positions of all duplicates of s in ascending order, each once. If the
// loop stops after a few of many, only these few take time.
//
// Signatures with one key are in the table in the order in which they were added, since
// each takes the first free slot after the others. So each key of s leads to an ascending
// list of positions, and Each merges these lists.
func (t *Table) Each(s *signature.Signature) iter.Seq[int] {
	return func(yield func(int) bool) {
		if len(t.all) <= few {
			for i, other := range t.all {
				if t.rule.Duplicates(other, s) && !yield(i) {
					return
				}
			}
			return
		}
		k := t.keysOf(s)
		var buf keys
		var room [len(keys{}) + 1]chain
		chains := room[:0]
		for n, key := range k.Append(buf[:0], s) {
			if at := t.seek(tag(key), key>>t.shift); t.slots[at] != 0 {
				chains = append(chains, chain{want: tag(key), at: at, simhash: n > len(k.bands)})
			}
		}
		if k.scan {
			chains = append(chains, chain{scan: true})
		}
		for i := range chains {
			chains[i].find(t, k, s)
		}
		for {
			least := uint(len(t.all))
			for i := range chains {
				least = min(least, chains[i].position)
			}
			if least == uint(len(t.all)) || t.rule.Duplicates(t.all[least], s) && !yield(int(least)) {
				return
			}
			for i := range chains {
				if c := &chains[i]; c.position == least {
					c.at++
					c.find(t, k, s)
				}
			}
		}
	}
}

// chain is the signatures with one key, from one of them on.
type chain struct {
	want     uint64
	at       uint64 // a slot; with scan, a position
	position uint   // of the signature there; the greatest number at the end
	simhash  bool   // the key is of the simhash: most simhashes with that key are far
	scan     bool   // all signatures instead
}

// find moves on from where c is to the next signature that can be near s.
func (c *chain) find(t *Table, k *Keys, s *signature.Signature) {
	near := func(i uint) bool { return simhash.Distance(t.simhashes[i], s.Simhash) <= k.most }
	for ; c.scan; c.at++ {
		if c.at == uint64(len(t.simhashes)) {
			c.position = math.MaxUint
			return
		}
		if c.position = uint(c.at); near(c.position) {
			return
		}
	}
	for ; ; c.at++ {
		c.at = t.seek(c.want, c.at&uint64(len(t.slots)-1))
		if c.position = uint(uint32(t.slots[c.at])) - 1; c.position == math.MaxUint || !c.simhash || near(c.position) {
			return
		}
	}
}

// seek returns the first slot from at on that has the key, or is free.
func (t *Table) seek(want, at uint64) uint64 {
	for t.slots[at] != 0 && tag(t.slots[at]) != want {
		at = (at + 1) & uint64(len(t.slots)-1)
	}
	return at
}
