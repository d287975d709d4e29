package repetition

import (
	"math/rand/v2"
	"slices"
)

// interner numbers distinct keys in the order in which they come, and counts each.
//
// As in a shingle.Set, a slot of the table holds base, plus a number, plus 1; a slot of at
// most base is free. There is no branch on whether a key is new, since in text that cannot
// be predicted: a key is first written after all others, and a free slot leads there.
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
	room     = 128 // keys for which room is made at once
)

// slotSalt differs from process to process, so that nobody can write a text whose keys all
// need one slot.
var slotSalt = rand.Uint64() | 1

func slot(k, mask uint64) uint64 { return k * slotSalt >> 32 & mask }

// intern appends the numbers of keys to ids.
func (t *interner) intern(ids []uint32, keys []uint64) []uint32 {
	for part := range slices.Chunk(keys, room) {
		ids = t.some(ids, part)
	}
	return ids
}

func (t *interner) some(ids []uint32, keys []uint64) []uint32 {
	before, first := len(t.keys), len(ids)
	t.grow(before + len(keys))
	all, counts := t.keys[:before+len(keys)], t.counts[:before+len(keys)]
	table, base, mask := t.table, t.base, uint64(len(t.table)-1)
	ids = slices.Grow(ids, len(keys))[:first+len(keys)]
	out := ids[first:][:len(keys)]
	n := uint32(before)
	for j, k := range keys {
		all[n], counts[n] = k, 0
		i := slot(k, mask)
		id := number(table[i&mask], base, n)
		for all[id] != k {
			i++
			id = number(table[i&mask], base, n)
		}
		table[i&mask] = base + id + 1
		out[j] = id
		counts[id]++
		n += uint32((uint64(n-id) - 1) >> 63) // 1 if id is n
	}
	t.keys, t.counts = all[:n], counts[:n]
	return ids
}

// number returns the number that a slot holds, or n if the slot is free.
func number(slot, base, n uint32) uint32 {
	free := uint32((int64(slot) - int64(base) - 1) >> 63) // all bits, or none
	return (slot-base-1)&^free | n&free
}

// unique returns the number of a key that is equal to no other.
func (t *interner) unique() uint32 {
	t.grow(len(t.keys) + 1)
	t.keys, t.counts = append(t.keys, 0), append(t.counts, 1)
	return uint32(len(t.keys) - 1)
}

// grow makes room for need keys, in a table that is at most a quarter full, or half full if
// it is large.
func (t *interner) grow(need int) {
	t.keys = slices.Grow(t.keys, need-len(t.keys))
	t.counts = slices.Grow(t.counts, need-len(t.counts))
	crowded := func(slots int) bool { return 2*need > slots || slots < keep && 4*need > slots }
	if !crowded(max(1, len(t.table))) {
		return
	}
	size := max(minTable, len(t.table))
	for crowded(size) {
		size *= 2
	}
	old, oldBase := t.table, t.base
	t.table, t.base = make([]uint32, size), 0
	mask := uint64(size - 1)
	for _, p := range old {
		if p <= oldBase {
			continue
		}
		i := slot(t.keys[p-oldBase-1], mask)
		for t.table[i&mask] != 0 {
			i++
		}
		t.table[i&mask] = p - oldBase
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
