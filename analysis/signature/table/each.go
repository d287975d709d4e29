package table

import (
	"iter"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Each yields the positions of all duplicates of s in ascending order, each once. To
// stop after a few of many takes time for these few alone.
//
// Signatures under one key stand in the table in the order in which they were added,
// since each takes the first free slot behind the others. So the keys of s lead to
// ascending lists of positions, which are merged.
func (t *Table) Each(s *signature.Signature) iter.Seq[int] {
	if len(t.all) <= few || t.plan.scan {
		return slices.Values(t.All(s))
	}
	return func(yield func(int) bool) {
		var buf keys
		own, _ := t.plan.append(buf[:0], s)
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
			if t.plan.rule.Duplicates(t.all[least], s) && !yield(least) {
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

// chain is the signatures under one key, from one of them on.
type chain struct {
	want, slot uint64
	position   int // -1 at the end
}

// find goes on from the slot to the next one with the key.
func (c *chain) find(t *Table) {
	for c.position = -1; t.slots[c.slot] != 0; c.slot = (c.slot + 1) & uint64(len(t.slots)-1) {
		if slot := t.slots[c.slot]; tag(slot) == c.want {
			c.position = int(uint32(slot) - 1)
			return
		}
	}
}

// Remove takes the signature at a position out, which then holds none. The others keep
// their positions. It does nothing if that was done before.
func (t *Table) Remove(position int) {
	s := t.all[position]
	if s == nil {
		return
	}
	if len(t.slots) > 0 && t.used > 0 {
		var buf keys
		own, _ := t.plan.append(buf[:0], s)
		for _, key := range own {
			t.take(tag(key) | uint64(position+1))
		}
		t.used -= len(own)
	}
	t.all[position] = nil
}

// take frees a slot and moves those behind it up that it kept from their places (Knuth,
// The Art of Computer Programming, volume 3, 6.4, algorithm R).
func (t *Table) take(slot uint64) {
	mask := uint64(len(t.slots) - 1)
	free := slot >> t.shift
	for t.slots[free] != slot {
		free = (free + 1) & mask
	}
	for i := (free + 1) & mask; t.slots[i] != 0; i = (i + 1) & mask {
		if home := t.slots[i] >> t.shift; (i-home)&mask >= (i-free)&mask {
			t.slots[free] = t.slots[i]
			free = i
		}
	}
	t.slots[free] = 0
}
