package classic

import (
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// MaxBottomSize is the greatest size of a sketch.
const MaxBottomSize = 1 << 16

// BottomParams says how sketches are made. Sketches can be compared only if they were
// made with the same BottomParams.
type BottomParams struct {
	// Size is the s, 1 to MaxBottomSize. With 100 the standard error is the same as with 100
	// lanes.
	Size int

	// Seed selects the permutation.
	Seed uint64
}

// Validate returns an error if the size is out of range.
func (p BottomParams) Validate() error {
	if p.Size < 1 || p.Size > MaxBottomSize {
		return fmt.Errorf("bottom: size: wanted 1 to %d, got %d", MaxBottomSize, p.Size)
	}
	return nil
}

// Bottom is a bottom-s sketch: the s least elements of a set under one random
// permutation (Broder, "On the resemblance and containment of documents", 1997, section 4;
// Thorup, "Bottom-k and priority sampling, set similarity and subset sums with minimal
// independence", STOC 2013). [BottomOf] makes it by [BottomParams], and
// [BottomResemblance] compares two.
//
// The s least elements of a union are the s least elements of the two sketches together.
// They are a random sample of the union, without replacement. The share of them that both
// sketches have estimates the resemblance without bias:
//
//	|MIN(A∪B) ∩ MIN(A) ∩ MIN(B)| / |MIN(A∪B)|
//
// If the union has fewer than s elements, the sketches hold all of them and the resemblance
// is exact. A sketch takes one hash computation per element, whatever s is, and at most 8s
// bytes.
type Bottom struct {
	// Params identifies the BottomParams that the sketch was made with.
	Params uint32

	// Size is the s.
	Size int

	// Values are the least elements under the permutation, ascending. If the set has fewer
	// than Size elements, they are the whole set.
	Values []uint64
}

// bottomSeed selects the constant of the seed that keys the permutation.
const bottomSeed = 8

// BottomOf returns the sketch of a set of fingerprints, which can contain repetitions. It panics
// if p is not valid.
func BottomOf(p BottomParams, fingerprints []uint64) Bottom {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	key := token.Mix(p.Seed, bottomSeed)
	s := Bottom{Params: codec.ID(codec.Bottom, uint64(p.Size), p.Seed), Size: p.Size}
	for _, x := range fingerprints {
		s.Values = append(s.Values, token.Mix(key, x))
	}
	slices.Sort(s.Values)
	s.Values = slices.Compact(s.Values)
	s.Values = slices.Clone(s.Values[:min(len(s.Values), s.Size)])
	return s
}

// BottomResemblance estimates the resemblance of two sets. ok is false if the sketches were made
// with different BottomParams, both sets are empty, or a sketch is nil.
//
// The standard error is that of a sample without replacement. The greatest value of the
// sample says how much of the union the sample covers: the s-th of u values is on average v
// = s/(u+1) of the range of 64-bit numbers, so s/v - 1 estimates u.
func BottomResemblance(a, b *Bottom) (r sketch.Estimate, ok bool) {
	if a == nil || b == nil || a.Params != b.Params || a.Size != b.Size || len(a.Values)+len(b.Values) == 0 {
		return r, false
	}
	common, n, last := 0, 0, uint64(0)
	for v, in := range union(a.Values, b.Values) {
		if n == a.Size {
			break
		}
		n, last = n+1, v
		if in[0] && in[1] {
			common++
		}
	}
	covered := 1.
	if n == a.Size {
		v := float64(last) / (1 << 64)
		covered = v / (1 - v/float64(n))
	}
	return sketch.Sampled(common, n, covered), true
}
