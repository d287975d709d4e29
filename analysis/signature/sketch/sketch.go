package sketch

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// Sketch is a MinHash sketch as it is stored: lanes of 8 bits, eight to a word, lane 0 in
// the lowest bits of word 0. Unused lanes of the last word are 0.
//
// 8 of a lane's 64 bits are enough: two different lanes have the same 8 bits with probability 1/256, for
// which estimates are corrected. With independent lanes P[>= 90 of 100 agree | r = .8] is .0060, where whole lanes give
// .0057; lanes of 4 bits give .0127. The lanes of this package vary less: FORMAT.md has the figures.
type Sketch []uint64

const (
	laneBits = 8
	perWord  = 64 / laneBits             // lanes
	lows     = 0x7f7f7f7f7f7f7f7f        // all bits of the lanes of a word but the top bit of each
	byChance = 1. / float64(1<<laneBits) // the probability that two different lanes agree
)

// Words returns the length of a Sketch of k lanes.
func Words(k int) int { return (k + perWord - 1) / perWord }

// Lane returns lane i.
func (s Sketch) Lane(i int) uint8 { return uint8(s[i/perWord] >> (i % perWord * laneBits)) }

// Set sets lane i, which must be 0 before the call.
func (s Sketch) Set(i int, lane uint8) { s[i/perWord] |= uint64(lane) << (i % perWord * laneBits) }

// differ returns a word with the top bit of each lane in which a and b differ. Adding lows carries into the
// top bit of a lane if any of its lower bits is set, and never beyond.
func differ(a, b uint64) uint64 {
	x := a ^ b
	return (x&lows + lows | x) &^ lows
}

// Differ returns the number of lanes in which a and b differ; both must have the
// same length. It panics if b is shorter.
func Differ(a, b Sketch) (n int) {
	b = b[:len(a)]
	for i, w := range a {
		n += bits.OnesCount64(differ(w, b[i]))
	}
	return n
}

// Within reports whether a and b, which must have the same length, differ in at most limit
// lanes. For most unrelated sketches the first lanes decide, a few more than limit, and the other lanes are not
// read.
//
// It panics if b is shorter.
func Within(a, b Sketch, limit int) bool {
	first := min(len(a), limit/perWord+1)
	return Differ(a[:first], b[:first]) <= limit && Differ(a, b) <= limit
}

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
// band's lanes, a byte each.
//
// It panics if n is 0, or s has no such lanes.
func (s Sketch) Band(k, n, i int) uint64 {
	var buf [MaxLanes]byte
	begin, end := Bounds(k, n, i)
	p := buf[:0]
	for lane := begin; lane < end; lane++ {
		p = append(p, s.Lane(lane))
	}
	return xxhash.Sum64(p)
}
