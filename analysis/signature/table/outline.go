package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// outline is what most of a set of signatures have in common: for each word of the
// sketch what more than half have, if there is such (Boyer and Moore's majority vote).
// In a family of near-copies that is the sketch of the text they come from, and each
// differs from it in a few lanes. Where those of two are not the same lanes the two
// differ, which tells most pairs that are not near from 16 bytes of each, at a
// twentieth of the time of looking at their sketches.
type outline struct {
	lanes  int // of the first signature
	common sketch.Sketch
	votes  []int
}

// add adds a signature to the set.
func (o *outline) add(s *signature.Signature) {
	if o.lanes == 0 {
		o.lanes, o.common, o.votes = s.Lanes, make(sketch.Sketch, len(s.Sketch)), make([]int, len(s.Sketch))
	}
	if s.Lanes != o.lanes {
		return
	}
	for i, word := range s.Sketch {
		switch {
		case word == o.common[i]:
			o.votes[i]++
		case o.votes[i] == 0:
			o.common[i], o.votes[i] = word, 1
		default:
			o.votes[i]--
		}
	}
}

// lanes tells which of the first 128 lanes of a sketch differ from an outline.
type lanes [2]uint64

// differ returns the lanes of s that differ, none if it has another number of them.
func (o *outline) differ(s *signature.Signature) (d lanes) {
	if s.Lanes != o.lanes {
		return d
	}
	for i := range min(len(o.common), len(d)*16) {
		d[i/16] |= differing(s.Sketch[i]^o.common[i]) << (i % 16 * 4)
	}
	return d
}

// differing returns a bit for each lane of a word that is not 0.
func differing(word uint64) uint64 {
	const low = 0x7fff7fff7fff7fff
	top := (word&low + low | word) &^ low
	return (top>>15 | top>>30 | top>>45 | top>>60) & 0xf
}

// apart is a number of lanes in which two signatures differ at least.
func (d lanes) apart(e lanes) int {
	return bits.OnesCount64(d[0]^e[0]) + bits.OnesCount64(d[1]^e[1])
}
