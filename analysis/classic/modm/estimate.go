package modm

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Merge makes s the sketch of the union of its own set and the set of other, with the least
// common multiple of their moduli. It returns an error, and leaves s unchanged, if the two
// were made with different seeds or the multiple is greater than MaxModulus.
func (s *Sketch) Merge(other *Sketch) error {
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

// Resemblance estimates the resemblance of two sets, with the standard error of a sample
// without replacement. ok is false if the sketches were made with different seeds, or have
// no element, which says nothing about the sets.
func Resemblance(a, b *Sketch) (r sketch.Estimate, ok bool) {
	c := count(a, b)
	return c.share(c.inA + c.inB - c.common)
}

// Containment estimates the share of a's set that b's set has too. ok is false if the
// sketches were made with different seeds, or a has no element.
func Containment(a, b *Sketch) (aInB sketch.Estimate, ok bool) {
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
func count(a, b *Sketch) counts {
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

// alike reports whether a and b were made with the same seed. The zero Sketch was not made
// with any, nor was nil.
func alike(a, b *Sketch) bool {
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
