//go:build !purego

package sketch

// differWords is differing for n words.
//
//go:noescape
func differWords(a, b *uint64, n int) int

// differing is Differ for sketches of the same length.
func differing(a, b Sketch) int {
	if len(a) == 0 {
		return 0
	}
	return differWords(&a[0], &b[0], len(a))
}

// throw is throwGo in assembly: the compiler's code for the two multiplications spends half
// of its time moving values between registers.
func (b *Builder) throw(elements []uint64, round uint64) {
	if len(elements) > 0 {
		throwWords(&b.lanes[0], uint64(len(b.lanes)), &elements[0], len(elements), b.key(round), b.mul, round<<roundShift)
	}
}

// throwWords throws n elements, one or more, in the round whose lanes begin with first, 0 in round 0.
//
//go:noescape
func throwWords(lanes *uint64, k uint64, elements *uint64, n int, key, mul, first uint64)
