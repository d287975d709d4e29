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
// bits at least one agrees (package band). So each signature has a key for every band and
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
	scheme    scheme
	all       []*signature.Signature
	simhashes []uint64
	slots     []uint64 // a key's top 32 bits, and a position plus 1; 0 is free
	used      int
	shift     int // 64 - log2(len(slots))
}

// New returns an empty Table for rule, which must be valid.
func New(rule signature.Rule) *Table { return &Table{scheme: newScheme(rule)} }

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

// file enters the keys of the signature at a position.
func (t *Table) file(s *signature.Signature, position int) {
	var buf keys
	own, _ := t.scheme.append(buf[:0], s)
	t.used += len(own)
	if len(t.slots) == 0 || 2*t.used > len(t.slots) {
		t.grow()
	}
	for _, key := range own {
		t.put(tag(key) | uint64(position+1))
	}
}

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

func (t *Table) grow() { t.resize(3 * t.used) }

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
	first := len(t.all)
	for i := range t.candidates(s) {
		if i < first && t.scheme.rule.Duplicates(t.all[i], s) {
			first = i
		}
	}
	if first == len(t.all) {
		return -1
	}
	return first
}

// All returns the positions of all duplicates of s, in ascending order.
func (t *Table) All(s *signature.Signature) []int {
	var found []int
	for i := range t.candidates(s) {
		if t.scheme.rule.Duplicates(t.all[i], s) {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// candidates yields the positions of all signatures that might be duplicates of s, in no
// order, some of them more than once.
func (t *Table) candidates(s *signature.Signature) iter.Seq[int] {
	return func(yield func(int) bool) {
		if len(t.all) <= few {
			for i := range t.all {
				if !yield(i) {
					return
				}
			}
			return
		}
		if t.scheme.scan {
			for i, h := range t.simhashes {
				if simhash.Distance(h, s.Simhash) <= t.scheme.most && !yield(i) {
					return
				}
			}
		}
		var buf keys
		own, blocks := t.scheme.append(buf[:0], s)
		for n, key := range own {
			want := tag(key)
			for i := want >> t.shift; t.slots[i] != 0; i = (i + 1) & uint64(len(t.slots)-1) {
				if tag(t.slots[i]) != want {
					continue
				}
				position := int(uint32(t.slots[i]) - 1)
				if n >= blocks && simhash.Distance(t.simhashes[position], s.Simhash) > t.scheme.most {
					continue
				}
				if !yield(position) {
					return
				}
			}
		}
	}
}

// Each yields the positions of all duplicates of s in ascending order, each once. If the
// loop stops after a few of many, only these few take time.
//
// Signatures with one key are in the table in the order in which they were added, since
// each takes the first free slot after the others. So each key of s leads to an ascending
// list of positions, and Each merges these lists.
func (t *Table) Each(s *signature.Signature) iter.Seq[int] {
	if len(t.all) <= few || t.scheme.scan {
		return slices.Values(t.All(s))
	}
	return func(yield func(int) bool) {
		var buf keys
		own, _ := t.scheme.append(buf[:0], s)
		var room [len(keys{})]chain
		chains := room[:0]
		for _, key := range own {
			c := chain{want: tag(key)}
			c.slot = c.want >> t.shift
			if c.find(t); c.position >= 0 {
				chains = append(chains, c)
			}
		}
		for len(chains) > 0 {
			least := chains[0].position
			for _, c := range chains[1:] {
				least = min(least, c.position)
			}
			if t.scheme.rule.Duplicates(t.all[least], s) && !yield(least) {
				return
			}
			left := chains[:0]
			for _, c := range chains {
				if c.position == least {
					c.slot = (c.slot + 1) & uint64(len(t.slots)-1)
					c.find(t)
				}
				if c.position >= 0 {
					left = append(left, c)
				}
			}
			chains = left
		}
	}
}

// chain is the signatures with one key, starting from one of them.
type chain struct {
	want, slot uint64
	position   int // -1 at the end
}

// find moves on from the slot to the next one with the key.
func (c *chain) find(t *Table) {
	for c.position = -1; t.slots[c.slot] != 0; c.slot = (c.slot + 1) & uint64(len(t.slots)-1) {
		if slot := t.slots[c.slot]; tag(slot) == c.want {
			c.position = int(uint32(slot) - 1)
			return
		}
	}
}
