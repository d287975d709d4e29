package sketch

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/internal/codec"
)

// Full is a sketch before it is packed, with lanes of 64 bits. Unlike a Sketch it can be
// merged: the Full of a union can be made from the Fulls of the two sets.
//
// This works although a Builder stops as soon as all lanes are filled, which is sooner for
// the union than for its parts. In 2k rounds every element e is thrown into lane i at least
// once, in round k+i. Let g(i, e) be the first of these throws, as a pair of round and
// value, in that order. Lane i of a set is the least g(i, e) over its elements: the lane
// belongs to the first round that fills it, and there to the least value. The least element
// of a union is the lesser of the least elements of its parts. The rounds that a Builder
// leaves out come after a round that filled the lane, so they could not have won.
type Full struct {
	// Params identifies the number of lanes and the hash functions. Sketches can be
	// compared or merged only if their Params are the same.
	Params uint32

	// Lanes are the lanes; all have the greatest value if the set is empty.
	Lanes []uint64
}

// Full returns the finished sketch, unpacked. If nothing was added, it is the sketch of the
// empty set.
func (b *Builder) Full() Full {
	return Full{
		Params: codec.ID(codec.Lanes, 0, uint64(len(b.lanes)), b.seed),
		Lanes:  slices.Clone(b.lanes),
	}
}

// Empty reports whether f is the sketch of the empty set.
func (f *Full) Empty() bool { return len(f.Lanes) == 0 || f.Lanes[0] == empty }

// Merge makes f the sketch of the union of its own set and the set of other. It returns an
// error, and leaves f unchanged, if the two were made with different Params.
func (f *Full) Merge(other *Full) error {
	if f.Params != other.Params || len(f.Lanes) != len(other.Lanes) {
		return fmt.Errorf("sketch: merge: wanted %d lanes with parameters %08x, got %d with %08x",
			len(f.Lanes), f.Params, len(other.Lanes), other.Params)
	}
	for i, v := range other.Lanes {
		f.Lanes[i] = min(f.Lanes[i], v)
	}
	return nil
}

// Pack returns the lanes as they are stored, 16 bits each. The empty set has no packed
// sketch: the result is nil.
func (f *Full) Pack() Sketch {
	if f.Empty() {
		return nil
	}
	s := make(Sketch, Words(len(f.Lanes)))
	for i, v := range f.Lanes {
		s.Set(i, uint16(v))
	}
	return s
}

const fullVersion = 1

// AppendBinary appends the stored form of f to dst: the form of internal/codec, with the
// number of lanes as a varint, then 8 bytes per lane.
func (f *Full) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = codec.Begin(dst, codec.Lanes, fullVersion, f.Params)
	dst = binary.AppendUvarint(dst, uint64(len(f.Lanes)))
	dst = codec.AppendUint64s(dst, f.Lanes)
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of f.
func (f *Full) MarshalBinary() ([]byte, error) { return f.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps
// signature.ErrVersion or signature.ErrMalformed, and then leaves f unchanged.
func (f *Full) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Lanes, fullVersion)
	lanes := r.Uint64s("lanes", r.Uvarint("number of lanes", MinLanes, MaxLanes))
	if err := r.Close(); err != nil {
		return err
	}
	*f = Full{Params: r.Params, Lanes: lanes}
	return nil
}
