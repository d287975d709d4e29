// Package simhash computes Charikar's 64-bit simhash ("Similarity estimation techniques
// from rounding algorithms", STOC 2002) of 64-bit features. A [Counter] collects features,
// and [Distance] compares two simhashes.
//
// Each feature votes on each of the 64 bits with its own bit there. A bit of the simhash is
// 1 if more than half of the votes are 1. Ties give 0, and so does no feature at all. A
// feature that occurs n times votes n times: its weight is its count.
package simhash

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/planes"
)

// Counter collects features. The zero Counter is empty. It is not safe for
// concurrent use.
type Counter struct {
	n    uint64          // votes on each bit
	ones planes.Counters // the votes that are 1
}

// Reset empties c.
func (c *Counter) Reset() {
	c.n = 0
	c.ones.Reset()
}

// Add counts features, each with weight 1.
func (c *Counter) Add(features []uint64) {
	c.n += uint64(len(features))
	c.ones.Add(features, c.n)
}

// AddWeighted counts one feature weight times. Use it for a weight function of your own,
// such as a rounded tf·idf (Charikar 2002; Manku, Jain, Das Sarma, "Detecting
// near-duplicates for web crawling", WWW 2007, section 2). Weights of a feature that occurs
// again add up. All weights together must stay below 2^64.
func (c *Counter) AddWeighted(feature uint64, weight uint32) {
	c.n += uint64(weight)
	c.ones.AddWeighted(feature, weight, c.n)
}

// Sum returns the simhash of the features added.
func (c *Counter) Sum() uint64 { return c.ones.Greater(c.n / 2) }

// Distance returns the Hamming distance: the number of bits in which a and b differ, 0 to
// 64.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }
