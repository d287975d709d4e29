package main

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// comparison is two documents side by side.
type comparison struct {
	state
	A, B        doc
	Pasted      bool // B is a text of the user's
	Match       signature.Match
	Passed      bool
	Resemblance string
	Lanes       []lane
	Bits        []bit
	Diff        difference
}

// lane is one lane of the two sketches.
type lane struct {
	Number int
	A, B   uint8
}

// Agree reports whether it is the same in both.
func (l lane) Agree() bool { return l.A == l.B }

// bit is one bit of the two simhashes, the highest first.
type bit struct {
	Number int
	A, B   uint64
}

// Agree reports whether it is the same in both.
func (b bit) Agree() bool { return b.A == b.B }

// align fills in lanes and bits. Texts shorter than a shingle have none.
func (c *comparison) align(a, b *signature.Signature) {
	for i := range min(a.Lanes, b.Lanes) {
		c.Lanes = append(c.Lanes, lane{i + 1, a.Sketch.Lane(i), b.Sketch.Lane(i)})
	}
	if len(c.Lanes) == 0 {
		return
	}
	c.Match.Hamming = bits.OnesCount64(a.Simhash ^ b.Simhash)
	for i := 63; i >= 0; i-- {
		c.Bits = append(c.Bits, bit{i, a.Simhash >> i & 1, b.Simhash >> i & 1})
	}
}

// Agreeing is the number of lanes that agree.
func (c comparison) Agreeing() (n int) {
	for _, l := range c.Lanes {
		if l.Agree() {
			n++
		}
	}
	return n
}
