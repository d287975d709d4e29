// Package modm makes mod-m sketches: the elements of a set that m divides under one random
// permutation (Broder, "On the resemblance and containment of documents", 1997, section 4;
// AltaVista had m = 25). [Of] makes a [Sketch] by [Params]; [Resemblance] and [Containment]
// compare two.
//
// A sketch grows with its document. In return it gives the containment too, even of a line
// in a book. For two sets A and B with sketches V(A) and V(B),
//
//	|V(A)∩V(B)| / |V(A)∪V(B)|  estimates the resemblance,
//	|V(A)∩V(B)| / |V(A)|       the containment of A in B.
//
// Given the number of elements in the denominator, these are a random sample of that size,
// without replacement, of the union or of A. So both estimates are unbiased, for small
// samples too, provided the sample is not empty. Documents of fewer than about ten times m
// shingles have a poor sample or none; [Modulus] chooses m by the size of the document.
//
// Sketches with different moduli are compared and merged by the elements that both moduli
// divide.
package modm

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// MaxModulus is the greatest modulus.
const MaxModulus = 1 << 32

// Params says how sketches are made. Sketches can be compared or merged only if they were
// made with the same seed.
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

// Modulus returns a modulus for a document with that many distinct shingles: the least
// power of two with which its sketch has on average at most that many elements. most must
// be 1 or more. This is Broder's variant for documents of all sizes. The modulus depends on
// the size alone, not on the elements of the sketch, so the estimates stay unbiased.
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

	// Values are the elements that Modulus divides under the permutation, ascending.
	Values []uint64
}

// seedIndex selects the constant of the seed that keys the permutation.
const seedIndex = 9

// Of returns the sketch of a set of fingerprints, which can contain repetitions. It panics
// if p is not valid.
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
