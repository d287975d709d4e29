package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Crowded tells which of the signatures may have a duplicate among them by the
// rule, which must be valid: all that have one, and perhaps a few that share a key
// with another and no more. nil stands for no signature.
//
// Most documents have no near-duplicate at all. Whoever groups a large set finds
// out about those here, at a few tenths of a microsecond each, without having to bring the set in order.
// All keys of the first band are looked at, then those of the second, and so on, so
// that one small table serves, which stays in the cache.
func Crowded(rule signature.Rule, all []*signature.Signature) []bool {
	crowded := make([]bool, len(all))
	p := newPlan(rule)
	if p.scan {
		for i, s := range all {
			crowded[i] = s != nil && s.Tokens > 0
		}
		return crowded
	}
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
	return crowded
}

// filed has the keys of one band: 32 bits of each, and the signature's position.
type filed []uint64

// meet marks the signatures that share a key with another.
func (b filed) meet(slots []uint64, crowded []bool) {
	shift := 65 - bits.Len(uint(len(slots)))
	mask := uint64(len(slots) - 1)
next:
	for _, entry := range b {
		entry++ // so that 0 is free
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
