package sketch

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// If at least t of L lanes agree, at most L-t differ, so of L-t+1 disjoint bands of lanes
// at least one agrees as a whole. For 90 of 100 lanes that is 11 bands of 9 or 10 lanes. So a
// lookup by the keys of all bands misses nothing.

// Bounds returns where part i of n nearly equal parts of total begins and ends: the parts
// of 100 in 11 have 9 or 10 lanes.
//
// It panics if n is 0.
func Bounds(total, n, i int) (begin, end int) {
	return total * i / n, total * (i + 1) / n
}

// Band returns the key of band i of n over the first k lanes: xxHash64 of the
// band's lanes as little-endian 16-bit numbers.
//
// It panics if n is 0, or s has no such lanes.
func (s Sketch) Band(k, n, i int) uint64 {
	var buf [2 * MaxLanes]byte
	begin, end := Bounds(k, n, i)
	p := buf[:0]
	for lane := begin; lane < end; lane++ {
		p = binary.LittleEndian.AppendUint16(p, s.Lane(lane))
	}
	return xxhash.Sum64(p)
}
