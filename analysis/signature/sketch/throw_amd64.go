//go:build !purego

package sketch

// throw is throwGo in assembly: the compiler's code for the two multiplications spends half
// of its time moving values between registers.
func (b *Builder) throw(elements []uint64, round uint64) {
	if len(elements) > 0 {
		throwWords(&b.lanes[0], uint64(len(b.lanes)), &elements[0], len(elements), b.key(round), b.mul, round<<roundShift)
	}
}

//go:noescape
func throwWords(lanes *uint64, k uint64, elements *uint64, n int, key, mul, round uint64)
