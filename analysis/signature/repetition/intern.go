package repetition

import (
	"math/rand/v2"
	"slices"
)

// interner numbers distinct keys in the order in which they come, and counts each. A slot of the table holds base, plus
// a number, plus 1; a slot of at most base is free. So reset does not clear the table.
type interner struct {
	keys   []uint64
	counts []uint32
	table  []uint32
	base   uint32
}

const (
	minTable = 1 << 11 // 8 KB: the signature needs its share of the cache too
	keep     = 1 << 16 // what reset keeps, in slots
	maxBase  = 1 << 31
)

// slotSalt differs from process to process, so that nobody can write a text whose keys all
// need one slot.
var slotSalt = rand.Uint64() | 1

// intern appends the numbers of keys to ids.
func (t *interner) intern(ids []uint32, keys []uint64) []uint32 {
	ids = slices.Grow(ids, len(keys))
	for _, k := range keys {
		if 2*len(t.keys) >= len(t.table) {
			t.grow()
		}
		table, base, mask := t.table, t.base, uint64(len(t.table)-1)
		i := k * slotSalt >> 32 & mask
		for table[i&mask] > base && t.keys[table[i&mask]-base-1] != k {
			i++
		}
		if table[i&mask] <= base {
			t.keys, t.counts = append(t.keys, k), append(t.counts, 0)
			table[i&mask] = base + uint32(len(t.keys))
		}
		id := table[i&mask] - base - 1
		t.counts[id]++
		ids = append(ids, id)
	}
	return ids
}

// unique returns the number of a key that is equal to no other.
func (t *interner) unique() uint32 {
	t.keys, t.counts = append(t.keys, 0), append(t.counts, 1)
	return uint32(len(t.keys) - 1)
}

// grow makes the table twice as large, or large enough for the keys.
func (t *interner) grow() {
	size := max(minTable, 2*len(t.table))
	for size <= 2*len(t.keys) {
		size *= 2
	}
	old, base, mask := t.table, t.base, uint64(size-1)
	t.table, t.base = make([]uint32, size), 0
	for _, p := range old {
		if p <= base {
			continue
		}
		i := t.keys[p-base-1] * slotSalt >> 32
		for t.table[i&mask] != 0 {
			i++
		}
		t.table[i&mask] = p - base
	}
}

// reset removes all keys. It does not keep memory that only a long document needed.
func (t *interner) reset() {
	if len(t.table) > keep {
		*t = interner{}
		return
	}
	t.base += uint32(len(t.keys))
	t.keys, t.counts = t.keys[:0], t.counts[:0]
	if t.base > maxBase {
		clear(t.table)
		t.base = 0
	}
}
