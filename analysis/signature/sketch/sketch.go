package sketch

// Sketch is a MinHash sketch as it is stored: lanes of 16 bits, four to a word, lane 0 in
// the lowest bits of word 0. Unused lanes of the last word are 0.
//
// 16 of a lane's 64 bits are enough: two different lanes have the same 16 bits with
// probability 2^-16. This gives P[>= 90 of 100 agree | r = .8] = .005698, where whole lanes
// give .005696. With 8 bits it is .0060, with 4 it is .0127.
type Sketch []uint64

const (
	laneBits = 16
	laneMask = 1<<laneBits - 1
	lows     = 0x7fff7fff7fff7fff // all bits of four lanes but the top bit of each
)

// Words returns the length of a Sketch of k lanes.
func Words(k int) int { return (k + 3) / 4 }

// Lane returns lane i.
func (s Sketch) Lane(i int) uint16 { return uint16(s[i/4] >> (i % 4 * laneBits)) }

// Set sets lane i, which must be 0 before the call.
func (s Sketch) Set(i int, lane uint16) { s[i/4] |= uint64(lane) << (i % 4 * laneBits) }

// differ sets the top bit of each 16-bit lane in which a and b differ. Adding lows carries into the
// top bit of a lane if any of its lower bits is set, and never beyond.
func differ(a, b uint64) uint64 {
	x := a ^ b
	return (x&lows + lows | x) &^ lows
}

// Differ returns the number of lanes in which a and b differ; both must have the
// same length. It panics if b is shorter.
func Differ(a, b Sketch) int {
	b = b[:len(a)]
	var sum uint64 // of the top bits: one count per lane
	for i, w := range a {
		sum += differ(w, b[i]) >> (laneBits - 1)
	}
	return total(sum)
}

// total adds up four counts of 16 bits, whose sum is less than 2^16: the product has it in its top bits.
func total(counts uint64) int { return int(counts * 0x0001000100010001 >> 48) }

// Within reports whether a and b, which must have the same length, differ in at most limit
// lanes. For most unrelated sketches the first 16 lanes decide, and the other lanes are not
// read.
//
// It panics if b is shorter.
func Within(a, b Sketch, limit int) bool {
	if len(a) >= 4 && len(b) >= 4 {
		const top = laneBits - 1
		front := differ(a[0], b[0])>>top + differ(a[1], b[1])>>top + differ(a[2], b[2])>>top + differ(a[3], b[3])>>top
		if total(front) > limit {
			return false
		}
	}
	return Differ(a, b) <= limit
}
