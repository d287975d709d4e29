// Package simhash computes Charikar's 64-bit simhash ("Similarity estimation techniques
// from rounding algorithms", STOC 2002) of 64-bit features. A [Counter] collects features,
// and [Distance] compares two simhashes.
//
// Each feature votes on each of the 64 bits with its own bit there. A bit of the simhash is
// 1 if more than half of the votes are 1. Ties give 0, and so does no feature at all. A
// feature that occurs n times votes n times: its weight is its count.
package simhash

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
)

// Counter collects features. The zero Counter is empty. It is not safe for
// concurrent use.
//
// The naive way adds to each of 64 counters for every feature: 28 ns a feature without
// branches, 200 ns with them. Here the counters are kept as planes: plane i holds
// bit i of all 64 counters, so that half-adders add one feature to all of them in a few
// instructions. Sixteen features at a time first go through a tree of carry-save adders
// (Harley and Seal; Warren, Hacker's Delight, 5-2), which needs about five instructions for
// each. That is about 1 ns. The counters are compared on the planes too, and never unpacked.
type Counter struct {
	n      uint64     // votes on each bit
	planes [64]uint64 // of the votes that are 1: bit i of planes[j] is bit j of the counter of bit i
	top    int        // planes in use
}

// Reset empties c.
func (c *Counter) Reset() {
	clear(c.planes[:c.top])
	c.n, c.top = 0, 0
}

// Add counts features, each with weight 1.
func (c *Counter) Add(features []uint64) {
	c.reserve(uint64(len(features)))
	for len(features) >= 16 {
		c.add16((*[16]uint64)(features))
		features = features[16:]
	}
	if len(features) > 0 {
		var padded [16]uint64 // 0 adds nothing to any counter
		copy(padded[:], features)
		c.add16(&padded)
	}
}

// reserve makes room for more votes.
func (c *Counter) reserve(votes uint64) {
	c.n += votes
	c.top = max(bits.Len64(c.n), 4) // add16 needs the first four
}

// add16 adds the bits of 16 numbers by a tree of adders: a carry of 16 remains for the planes from the fifth on.
func (c *Counter) add16(f *[16]uint64) {
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

// AddWeighted counts one feature weight times. Use it for a weight function of your own,
// such as a rounded tf·idf (Charikar 2002; Manku, Jain, Das Sarma, "Detecting
// near-duplicates for web crawling", WWW 2007, section 2). Weights of a feature that occurs
// again add up. All weights together must stay below 2^64.
//
// On the planes weight·feature is a sum over the bits of the weight, so a weight costs as much as
// it has bits that are 1.
func (c *Counter) AddWeighted(feature uint64, weight uint32) {
	c.reserve(uint64(weight))
	for plane := 0; weight != 0; plane, weight = plane+1, weight>>1 {
		if weight&1 == 0 {
			continue
		}
		carry := feature
		for i := plane; carry != 0; i++ {
			carry, c.planes[i] = carry&c.planes[i], carry^c.planes[i]
		}
	}
}

// Sum returns the simhash of the features added: the bits whose counters are greater than half of
// the votes. All are compared at once, plane by plane from the highest: equal has the counters that
// have been as the half so far, and greater those that first differed from it by a 1.
func (c *Counter) Sum() (greater uint64) {
	equal := ^uint64(0)
	for i := c.top - 1; i >= 0; i-- {
		if c.n/2>>i&1 == 0 {
			greater |= equal & c.planes[i]
			equal &^= c.planes[i]
		} else {
			equal &= c.planes[i]
		}
	}
	return greater
}

// Distance returns the Hamming distance: the number of bits in which a and b differ, 0 to
// 64.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Text returns a simhash as it is stored with a signature: 16 hexadecimal digits.
func Text(h uint64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], h)
	return hex.EncodeToString(b[:])
}

// If two simhashes differ in at most k bits, at least one of k+1 blocks of bits agrees. For 3
// bits that is 4 blocks of 16 bits (Manku, Jain, Das Sarma, "Detecting near-duplicates for
// web crawling", WWW 2007).

// Block returns the bits of block i of n of a simhash: documents that meet a rule share at least one.
//
// It panics if n is 0, or i is not from 0 to n-1.
func Block(h uint64, n, i int) uint64 {
	begin, end := 64*i/n, 64*(i+1)/n
	return h >> begin & (1<<(end-begin) - 1)
}

// Mask divides the bits that are set in whole into n blocks of nearly equal size, counted
// from the lowest bit, and returns the bits of block i. It panics if n is 0.
func Mask(whole uint64, n, i int) (mask uint64) {
	total := bits.OnesCount64(whole)
	begin, end := total*i/n, total*(i+1)/n
	for at := range end {
		lowest := whole & -whole
		if at >= begin {
			mask |= lowest
		}
		whole &^= lowest
	}
	return mask
}
