package classic

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// MaxBottomSize is the greatest size of a sketch.
const MaxBottomSize = 1 << 16

// BottomParams says how sketches are made. Sketches can be compared or merged only if they were
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
// bytes. To compare two sketches of 100 takes ten times as long as to count the lanes of
// package sketch (go test -bench Resemblance).
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
	s := Bottom{
		Params: codec.ID(codec.Bottom, uint64(p.Size), p.Seed),
		Size:   p.Size,
		Values: make([]uint64, 0, min(2*p.Size, len(fingerprints))),
	}
	// Whenever there are twice as many values as wanted, the greater half is dropped. From
	// then on, values that are not less than the greatest value kept are dropped too.
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

// cut sorts the values and keeps the Size least distinct ones.
func (s *Bottom) cut() {
	slices.Sort(s.Values)
	s.Values = slices.Compact(s.Values)
	s.Values = s.Values[:min(len(s.Values), s.Size)]
}

// Merge makes s the sketch of the union of its own set and the set of other. It returns an
// error, and leaves s unchanged, if the two were made with different BottomParams.
func (s *Bottom) Merge(other *Bottom) error {
	if s.Params != other.Params || s.Size != other.Size {
		return fmt.Errorf("bottom: merge: wanted size %d with parameters %08x, got %d with %08x",
			s.Size, s.Params, other.Size, other.Params)
	}
	s.Values = slices.Concat(s.Values, other.Values)
	s.cut()
	return nil
}

// BottomResemblance estimates the resemblance of two sets. ok is false if the sketches were made
// with different BottomParams, or both sets are empty.
//
// The standard error is that of a sample without replacement. The greatest value of the
// sample says how much of the union the sample covers: the s-th of u values is on average v
// = s/(u+1) of the range of 64-bit numbers, so s/v - 1 estimates u.
//
// ok is false too if a sketch is nil.
func BottomResemblance(a, b *Bottom) (r sketch.Estimate, ok bool) {
	if a == nil || b == nil || a.Params != b.Params || a.Size != b.Size || len(a.Values)+len(b.Values) == 0 {
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
	return sketch.Sampled(common, n, covered), true
}

const bottomVersion = 1

// AppendBinary appends the stored form of s to dst: the form of internal/codec, with the
// size and the number of values as varints, then 8 bytes per value.
func (s *Bottom) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = codec.Begin(dst, codec.Bottom, bottomVersion, s.Params)
	dst = binary.AppendUvarint(dst, uint64(s.Size))
	dst = binary.AppendUvarint(dst, uint64(len(s.Values)))
	dst = codec.AppendUint64s(dst, s.Values)
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of s.
func (s *Bottom) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps signature.ErrVersion or
// signature.ErrMalformed, and then leaves s unchanged.
func (s *Bottom) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Bottom, bottomVersion)
	size := r.Uvarint("size", 1, MaxBottomSize)
	values := r.Ascending("values", r.Uvarint("number of values", 0, size))
	if err := r.Close(); err != nil {
		return err
	}
	*s = Bottom{Params: r.Params, Size: int(size), Values: values}
	return nil
}
