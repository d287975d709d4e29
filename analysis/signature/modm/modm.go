// Package modm makes mod-m sketches: the elements of a set that are divisible by m
// under one random permutation (Broder, "On the resemblance and containment of
// documents", 1997, section 4; AltaVista had m = 25).
//
// A sketch grows with its document, and for that gives containment too, even of a
// line in a book. Of two sets A and B with sketches V(A) and V(B),
//
//	|V(A)∩V(B)| / |V(A)∪V(B)|  estimates the resemblance,
//	|V(A)∩V(B)| / |V(A)|       the containment of A in B.
//
// Given how many elements the denominator has, they are a random sample of that
// many, without replacement, of the union or of A: both estimates are unbiased, not
// only for large samples, provided the sample is not empty. Documents of fewer than
// some ten times m shingles have a poor sample or none; [Modulus] chooses m by the
// size of the document.
//
// Sketches of different moduli compare and merge by the elements that are divisible
// by both.
package modm

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/codec"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// MaxModulus is the greatest modulus.
const MaxModulus = 1 << 32

// Params says how sketches are made. Only those made with the same seed can be
// compared or merged.
type Params struct {
	// Modulus is the m, 1 to MaxModulus; 1 keeps the whole set.
	Modulus uint64

	// Seed selects the permutation.
	Seed uint64
}

// Validate returns an error if the modulus is out of range.
func (p Params) Validate() error {
	if p.Modulus < 1 || p.Modulus > MaxModulus {
		return fmt.Errorf("modm: modulus: wanted 1 to %d, got %d", uint64(MaxModulus), p.Modulus)
	}
	return nil
}

// Modulus returns the least power of two that leaves a document of so many distinct
// shingles a sketch of most elements or fewer on average, for most of 1 or more:
// Broder's variant for documents of all sizes. It hangs on the size alone, not on what falls into the
// sketch, so the estimates stay unbiased.
func Modulus(shingles, most uint64) uint64 {
	m := uint64(1)
	for m < MaxModulus && float64(shingles)/float64(m) > float64(most) {
		m *= 2
	}
	return m
}

// Sketch is a mod-m sketch.
type Sketch struct {
	// Params identifies the seed that the sketch was made with.
	Params uint32

	// Modulus is the m.
	Modulus uint64

	// Values are the elements divisible by Modulus under the permutation, ascending.
	Values []uint64
}

// seedIndex is the constant of the seed that the permutation is keyed with.
const seedIndex = 9

// Of returns the sketch of a set of fingerprints, which may repeat. It panics if p is
// not valid.
func Of(p Params, fingerprints []uint64) Sketch {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	key := token.Mix(p.Seed, seedIndex)
	s := Sketch{Params: codec.ID(codec.Modm, p.Seed), Modulus: p.Modulus}
	for _, x := range fingerprints {
		if v := token.Mix(key, x); v%p.Modulus == 0 {
			s.Values = append(s.Values, v)
		}
	}
	slices.Sort(s.Values)
	s.Values = slices.Compact(s.Values)
	return s
}
