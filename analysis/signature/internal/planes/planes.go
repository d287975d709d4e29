// Package planes has 64 counters side by side: counter i counts the numbers whose bit i is 1. See [Counters].
//
// The naive way adds to each of 64 counters for every number: 28 ns a number without
// branches, 200 ns with them. Here the counters are kept as planes: plane i holds
// bit i of all 64 counters, so that half-adders add one number to all of them in a few
// instructions. Sixteen numbers at a time first go through a tree of carry-save adders
// (Harley and Seal; Warren, Hacker's Delight, 5-2), which needs about five instructions for
// each. That is about 1 ns. The counters are compared on the planes too, and never unpacked.
package planes

import "math/bits"

// Counters are 64 counters, all 0 at first. They are not safe for concurrent use.
type Counters struct {
	planes [64]uint64 // bit i of planes[j] is bit j of counter i
	top    int        // planes in use
}

// Reset makes all counters 0.
func (c *Counters) Reset() {
	clear(c.planes[:c.top])
	c.top = 0
}

// Add adds the bits of numbers to the counters. most is the greatest value that a counter can then have.
func (c *Counters) Add(numbers []uint64, most uint64) {
	c.reserve(most)
	for len(numbers) >= 16 {
		c.add16((*[16]uint64)(numbers))
		numbers = numbers[16:]
	}
	if len(numbers) > 0 {
		var padded [16]uint64 // 0 adds nothing to any counter
		copy(padded[:], numbers)
		c.add16(&padded)
	}
}

// reserve makes room for counters up to most.
func (c *Counters) reserve(most uint64) { c.top = max(bits.Len64(most), 4) } // add16 needs the first four

// add16 adds the bits of 16 numbers by a tree of adders: a carry of 16 remains for the planes from the fifth on.
func (c *Counters) add16(f *[16]uint64) {
	ones, twos, fours, eights := c.planes[0], c.planes[1], c.planes[2], c.planes[3]
	var a, b, a2, b2, a4, b4, x uint64

	a, ones = fullAdd(f[0], f[1], ones)
	b, ones = fullAdd(f[2], f[3], ones)
	a2, twos = fullAdd(a, b, twos)
	a, ones = fullAdd(f[4], f[5], ones)
	b, ones = fullAdd(f[6], f[7], ones)
	b2, twos = fullAdd(a, b, twos)
	a4, fours = fullAdd(a2, b2, fours)

	a, ones = fullAdd(f[8], f[9], ones)
	b, ones = fullAdd(f[10], f[11], ones)
	a2, twos = fullAdd(a, b, twos)
	a, ones = fullAdd(f[12], f[13], ones)
	b, ones = fullAdd(f[14], f[15], ones)
	b2, twos = fullAdd(a, b, twos)
	b4, fours = fullAdd(a2, b2, fours)

	x, eights = fullAdd(a4, b4, eights)
	c.planes[0], c.planes[1], c.planes[2], c.planes[3] = ones, twos, fours, eights

	// What remains goes through all planes in use. Stopping at a carry of 0 would cost a
	// mispredicted branch almost every time.
	for i := range c.planes[4:c.top] {
		p := &c.planes[4+i]
		x, *p = x&*p, x^*p
	}
}

// fullAdd is 64 full adders side by side. The last argument is needed last, so it can be the
// one that is computed last.
func fullAdd(a, b, c uint64) (carry, sum uint64) {
	u := a ^ b
	return a&b | u&c, u ^ c
}

// AddWeighted adds the bits of x to the counters weight times. most is the greatest value that a counter can then have. On the
// planes weight·x is a sum over the bits of the weight, so a weight costs as much as it has bits that are 1, and
// small weights and powers of two are cheap.
func (c *Counters) AddWeighted(x uint64, weight uint32, most uint64) {
	c.reserve(most)
	for plane := 0; weight != 0; plane, weight = plane+1, weight>>1 {
		if weight&1 == 0 {
			continue
		}
		carry := x
		for i := plane; carry != 0; i++ {
			carry, c.planes[i] = carry&c.planes[i], carry^c.planes[i]
		}
	}
}

// Greater returns 64 bits, of which those are 1 whose counters are greater than limit. All are compared at
// once, plane by plane from the highest: equal has the counters that have been as limit so far, and greater those
// that first differed from limit by a 1.
func (c *Counters) Greater(limit uint64) (greater uint64) {
	equal := ^uint64(0)
	for i := c.top - 1; i >= 0; i-- {
		if limit>>i&1 == 0 {
			greater |= equal & c.planes[i]
			equal &^= c.planes[i]
		} else {
			equal &= c.planes[i]
		}
	}
	return greater
}
