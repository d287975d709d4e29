package simhash

import "math/bits"

// AddWeighted counts one feature weight times. Use it for a weight function of your own,
// such as a rounded tf·idf (Charikar 2002; Manku, Jain, Das Sarma, "Detecting
// near-duplicates for web crawling", WWW 2007, section 2). Weights of a feature that occurs
// again add up. All weights together must stay below 2^64.
//
// A weight goes to planes at once, past the assembly. On the planes weight·feature is a sum over the bits of the weight. So a weight costs as
// much as it has bits that are 1, and small weights and powers of two are cheap.
func (c *Counter) AddWeighted(feature uint64, weight uint32) {
	c.n += uint64(weight)
	c.top = max(bits.Len64(c.n), 4)
	for plane := 0; weight != 0; plane, weight = plane+1, weight>>1 {
		if weight&1 == 0 {
			continue
		}
		x := feature
		for i := plane; x != 0; i++ {
			x, c.planes[i] = x&c.planes[i], x^c.planes[i]
		}
	}
}
