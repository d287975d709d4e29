package classic

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// MaxModulus is the greatest modulus.
const MaxModulus = 1 << 32

// ModmParams says how sketches are made. Sketches can be compared or merged only if they were
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
// Sketches with different moduli are compared and merged by the elements that both moduli
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

// Merge makes s the sketch of the union of its own set and the set of other, with the least
// common multiple of their moduli. It returns an error, and leaves s unchanged, if the two
// were made with different seeds or the multiple is greater than MaxModulus.
func (s *Modm) Merge(other *Modm) error {
	if !alike(s, other) {
		return fmt.Errorf("modm: merge: wanted parameters %08x, got %08x", s.Params, other.Params)
	}
	m := multiple(s.Modulus, other.Modulus)
	if m > MaxModulus {
		return fmt.Errorf("modm: merge: wanted moduli with a common multiple up to %d, got %d and %d",
			uint64(MaxModulus), s.Modulus, other.Modulus)
	}
	values := slices.DeleteFunc(slices.Concat(s.Values, other.Values), func(v uint64) bool { return v%m != 0 })
	slices.Sort(values)
	s.Modulus, s.Values = m, slices.Compact(values)
	return nil
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

// count compares two sketches. All counts are 0 if they were made with different seeds.
func count(a, b *Modm) counts {
	if !alike(a, b) {
		return counts{}
	}
	c := counts{modulus: multiple(a.Modulus, b.Modulus)}
	x, y := a.Values, b.Values
	for len(x)+len(y) > 0 {
		var v uint64
		var inA, inB bool
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			v, x, inA = x[0], x[1:], true
		case len(x) == 0 || y[0] < x[0]:
			v, y, inB = y[0], y[1:], true
		default:
			v, x, y, inA, inB = x[0], x[1:], y[1:], true, true
		}
		if v%c.modulus != 0 {
			continue
		}
		if inA {
			c.inA++
		}
		if inB {
			c.inB++
		}
		if inA && inB {
			c.common++
		}
	}
	return c
}

// alike reports whether a and b were made with the same seed. The zero Modm was not made
// with any, nor was nil.
func alike(a, b *Modm) bool {
	return a != nil && b != nil && a.Params == b.Params && a.Modulus > 0 && b.Modulus > 0
}

// multiple returns the least common multiple. It fits, since moduli are at most 2^32.
func multiple(a, b uint64) uint64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

const modmVersion = 1

// AppendBinary appends the stored form of s to dst: the form of internal/codec, with the
// modulus and the number of values as varints, then 8 bytes per value.
func (s *Modm) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = codec.Begin(dst, codec.Modm, modmVersion, s.Params)
	dst = binary.AppendUvarint(dst, s.Modulus)
	dst = binary.AppendUvarint(dst, uint64(len(s.Values)))
	dst = codec.AppendUint64s(dst, s.Values)
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of s.
func (s *Modm) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps signature.ErrVersion or
// signature.ErrMalformed, and then leaves s unchanged.
func (s *Modm) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Modm, modmVersion)
	modulus := r.Uvarint("modulus", 1, MaxModulus)
	values := r.Ascending("values", r.Uvarint("number of values", 0, math.MaxUint64))
	for _, v := range values {
		r.Check(v%modulus == 0, "values", "multiples of the modulus")
	}
	if err := r.Close(); err != nil {
		return err
	}
	*s = Modm{Params: r.Params, Modulus: modulus, Values: values}
	return nil
}
