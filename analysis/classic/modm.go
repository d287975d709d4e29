package classic

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// MaxModulus is the greatest modulus.
const MaxModulus = 1 << 32

// ModmParams says how sketches are made. Sketches can be compared only if they were
// made with the same seed.
type ModmParams struct {
	// Modulus is the m, 1 to MaxModulus; 1 keeps the whole set.
	Modulus uint64

	// Seed selects the permutation.
	Seed uint64
}

// Validate returns an error if the modulus is out of range.
func (p ModmParams) Validate() error {
	if p.Modulus < 1 || p.Modulus > MaxModulus {
		return fmt.Errorf("modm: modulus: wanted 1 to %d, got %d", uint64(MaxModulus), p.Modulus)
	}
	return nil
}

// ModmModulus returns a modulus for a document with that many distinct shingles: the least
// power of two with which its sketch has on average at most that many elements. most must
// be 1 or more. This is Broder's variant for documents of all sizes. The modulus depends on
// the size alone, not on the elements of the sketch, so the estimates stay unbiased.
func ModmModulus(shingles, most uint64) uint64 {
	m := uint64(1)
	for m < MaxModulus && float64(shingles)/float64(m) > float64(most) {
		m *= 2
	}
	return m
}

// Modm is a mod-m sketch: the elements of a set that m divides under one random
// permutation (Broder, "On the resemblance and containment of documents", 1997, section 4;
// AltaVista had m = 25). [ModmOf] makes it by [ModmParams]; [ModmResemblance] and
// [ModmContainment] compare two.
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
// shingles have a poor sample or none; [ModmModulus] chooses m by the size of the document.
//
// Sketches with different moduli are compared by the elements that both moduli
// divide.
type Modm struct {
	// Params identifies the seed that the sketch was made with.
	Params uint32

	// Modulus is the m.
	Modulus uint64

	// Values are the elements that Modulus divides under the permutation, ascending.
	Values []uint64
}

// modmSeed selects the constant of the seed that keys the permutation.
const modmSeed = 9

// ModmOf returns the sketch of a set of fingerprints, which can contain repetitions. It panics
// if p is not valid.
func ModmOf(p ModmParams, fingerprints []uint64) Modm {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	key := token.Mix(p.Seed, modmSeed)
	s := Modm{Params: codec.ID(codec.Modm, p.Seed), Modulus: p.Modulus}
	for _, x := range fingerprints {
		if v := token.Mix(key, x); v%p.Modulus == 0 {
			s.Values = append(s.Values, v)
		}
	}
	slices.Sort(s.Values)
	s.Values = slices.Compact(s.Values)
	return s
}

// ModmResemblance estimates the resemblance of two sets, with the standard error of a sample
// without replacement. ok is false if the sketches were made with different seeds, or have
// no element, which says nothing about the sets.
func ModmResemblance(a, b *Modm) (r sketch.Estimate, ok bool) {
	c := count(a, b)
	return c.share(c.inA + c.inB - c.common)
}

// ModmContainment estimates the share of a's set that b's set has too. ok is false if the
// sketches were made with different seeds, or a has no element.
func ModmContainment(a, b *Modm) (aInB sketch.Estimate, ok bool) {
	c := count(a, b)
	return c.share(c.inA)
}

// counts are numbers of elements that both moduli divide.
type counts struct {
	inA, inB, common int
	modulus          uint64
}

// share estimates the share of n elements that are common. If each of u elements is taken
// with probability 1/m, the mean of 1/(n+1) is m/(u+1), except for the chance that none is
// taken. So m(n+1)-1 estimates u, the number of elements that were sampled.
func (c counts) share(n int) (sketch.Estimate, bool) {
	if n == 0 {
		return sketch.Estimate{}, false
	}
	taken := float64(n)
	return sketch.Sampled(c.common, n, taken/(float64(c.modulus)*(taken+1)-1)), true
}

// count compares two sketches. All counts are 0 if their seeds differ, or one is nil or the zero Modm.
func count(a, b *Modm) counts {
	if a == nil || b == nil || a.Params != b.Params || a.Modulus == 0 || b.Modulus == 0 {
		return counts{}
	}
	c := counts{modulus: multiple(a.Modulus, b.Modulus)}
	for v, in := range union(a.Values, b.Values) {
		if v%c.modulus != 0 {
			continue
		}
		if in[0] {
			c.inA++
		}
		if in[1] {
			c.inB++
		}
		if in[0] && in[1] {
			c.common++
		}
	}
	return c
}

// multiple returns the least common multiple. It fits, since moduli are at most 2^32.
func multiple(a, b uint64) uint64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
