package table

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// outline is what most signatures of a set have in common: for each word of the sketch, the
// value that more than half of them have, if there is one (Boyer and Moore's majority
// vote). In a family of near-copies this is the sketch of the text they were copied from,
// and each member differs from it in a few lanes. For each signature we keep a 16-byte mask
// of these lanes. Two signatures differ wherever their masks do, so comparing masks rejects
// most pairs that are not near, in a twentieth of the time of reading their sketches.
type outline struct {
	lanes  int // in the first signature
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

// lanes is a mask: a bit for each of the first 128 lanes in which a sketch differs from an
// outline.
type lanes [2]uint64

// differ returns the lanes in which s differs, or none if s has another number of lanes.
func (o *outline) differ(s *signature.Signature) (d lanes) {
	if s.Lanes != o.lanes {
		return d
	}
	for i := range min(len(o.common), len(d)*8) {
		d[i/8] |= differing(s.Sketch[i]^o.common[i]) << (i % 8 * 8)
	}
	return d
}

// differing returns a bit for each lane of a word that is not 0.
func differing(word uint64) uint64 {
	const low = 0x7f7f7f7f7f7f7f7f
	top := (word&low + low | word) &^ low
	return top >> 7 * 0x0102040810204080 >> 56 // the product has the eight bits in its top byte
}

// apart returns a number of lanes in which two signatures differ at least.
func (d lanes) apart(e lanes) int {
	return bits.OnesCount64(d[0]^e[0]) + bits.OnesCount64(d[1]^e[1])
}
