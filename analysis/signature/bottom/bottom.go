// Package bottom makes bottom-s sketches: the s least elements of a set under one
// random permutation (Broder, "On the resemblance and containment of documents",
// 1997, section 4; Thorup, "Bottom-k and priority sampling, set similarity and
// subset sums with minimal independence", STOC 2013).
//
// The s least of a union of two sets are the s least of their two sketches, and
// they are a random sample, without replacement, of the union. The share of them
// that lies in both sketches estimates the resemblance without bias:
//
//	|MIN(A∪B) ∩ MIN(A) ∩ MIN(B)| / |MIN(A∪B)|
//
// If the union has fewer than s elements, the sketches hold all of them and the
// resemblance is exact. A sketch takes one hash computation an element whatever s
// is, and at most 8s bytes; to compare two of 100 takes ten times as long as to
// count the lanes of package sketch (go test -bench Resemblance).
package bottom

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/codec"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// MaxSize is the greatest size of a sketch.
const MaxSize = 1 << 16

// Params says how sketches are made. Only those made with the same Params can be
// compared or merged.
type Params struct {
	// Size is the s, 1 to MaxSize. 100 gives the standard error of 100 lanes.
	Size int

	// Seed selects the permutation.
	Seed uint64
}

// Validate returns an error if the size is out of range.
func (p Params) Validate() error {
	if p.Size < 1 || p.Size > MaxSize {
		return fmt.Errorf("bottom: size: wanted 1 to %d, got %d", MaxSize, p.Size)
	}
	return nil
}

// Sketch is a bottom-s sketch.
type Sketch struct {
	// Params identifies the Params that the sketch was made with.
	Params uint32

	// Size is the s.
	Size int

	// Values are the least elements under the permutation, ascending. They are
	// fewer than Size if the set is smaller, and then all of it.
	Values []uint64
}

// seedIndex is the constant of the seed that the permutation is keyed with.
const seedIndex = 8

// Of returns the sketch of a set of fingerprints, which may repeat. It panics if p is
// not valid.
func Of(p Params, fingerprints []uint64) Sketch {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	key := token.Mix(p.Seed, seedIndex)
	s := Sketch{
		Params: codec.ID(codec.Bottom, uint64(p.Size), p.Seed),
		Size:   p.Size,
		Values: make([]uint64, 0, min(2*p.Size, len(fingerprints))),
	}
	// Whenever twice as many as wanted have come, the greater half is dropped, and
	// from then on whatever is no less than the greatest that stayed.
	limit := ^uint64(0)
	for _, x := range fingerprints {
		v := token.Mix(key, x)
		if v > limit {
			continue
		}
		s.Values = append(s.Values, v)
		if len(s.Values) == 2*p.Size {
			s.cut()
			if len(s.Values) == p.Size {
				limit = s.Values[p.Size-1]
			}
		}
	}
	s.cut()
	s.Values = slices.Clone(s.Values)
	return s
}

// cut sorts the values and leaves the Size least distinct ones.
func (s *Sketch) cut() {
	slices.Sort(s.Values)
	s.Values = slices.Compact(s.Values)
	s.Values = s.Values[:min(len(s.Values), s.Size)]
}

// Merge makes s the sketch of the union of its set and that of other. It returns an
// error, and leaves s as it is, if they were made differently.
func (s *Sketch) Merge(other *Sketch) error {
	if s.Params != other.Params || s.Size != other.Size {
		return fmt.Errorf("bottom: merge: wanted size %d with parameters %08x, got %d with %08x",
			s.Size, s.Params, other.Size, other.Params)
	}
	s.Values = slices.Concat(s.Values, other.Values)
	s.cut()
	return nil
}

// Resemblance estimates the resemblance of two sets. ok is false if the sketches were
// made with different Params, or both sets are empty.
//
// The standard error is that of a sample without replacement. How much of the union
// it covers is seen from its last element: that of s of u stands on average at
// v = s/(u+1) of all 64-bit numbers, so s/v - 1 stands for u.
func Resemblance(a, b *Sketch) (r resemblance.Estimate, ok bool) {
	if a.Params != b.Params || a.Size != b.Size || len(a.Values)+len(b.Values) == 0 {
		return r, false
	}
	common, n, last := 0, 0, uint64(0)
	x, y := a.Values, b.Values
	for ; n < a.Size && len(x)+len(y) > 0; n++ {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			last, x = x[0], x[1:]
		case len(x) == 0 || y[0] < x[0]:
			last, y = y[0], y[1:]
		default:
			last, x, y = x[0], x[1:], y[1:]
			common++
		}
	}
	covered := 1.
	if n == a.Size {
		v := float64(last) / (1 << 64)
		covered = v / (1 - v/float64(n))
	}
	return resemblance.Sampled(common, n, covered), true
}

const version = 1

// AppendBinary appends the stored form of s to dst: that of package codec, with the
// size and the number of values as varints, then 8 bytes a value.
func (s *Sketch) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = codec.Begin(dst, codec.Bottom, version, s.Params)
	dst = binary.AppendUvarint(dst, uint64(s.Size))
	dst = binary.AppendUvarint(dst, uint64(len(s.Values)))
	dst = codec.AppendUint64s(dst, s.Values)
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of s.
func (s *Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps
// codec.ErrVersion or codec.ErrMalformed, and then leaves s as it was.
func (s *Sketch) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Bottom, version)
	size := r.Uvarint("size", 1, MaxSize)
	values := r.Ascending("values", r.Uvarint("number of values", 0, size))
	if err := r.Close(); err != nil {
		return err
	}
	*s = Sketch{Params: r.Params, Size: int(size), Values: values}
	return nil
}
