package supershingle

import (
	"encoding/binary"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// Sketch holds the supershingles of a document.
type Sketch struct {
	// Params identifies how the lanes were made and grouped. Sketches can be compared only
	// if their Params are equal.
	Params uint32

	// Features are the supershingles, one for each group. A document without lanes has
	// none.
	Features []uint64
}

// Of returns the supershingles of lanes. There must be at least Groups·Width lanes, or none
// if the document has no shingles. params identifies how the lanes were made: it is the
// Params of their signature.Signature or sketch.Full. Of panics if p is not valid.
//
// Feature i is the key of band i of p.Groups over the first Groups·Width lanes, as package
// band makes it.
func Of(p Plan, lanes sketch.Sketch, params uint32) Sketch {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	s := Sketch{Params: codec.ID(codec.Supershingle, uint64(params), uint64(p.Groups), uint64(p.Width))}
	if len(lanes) == 0 {
		return s
	}
	s.Features = make([]uint64, p.Groups)
	for i := range s.Features {
		s.Features[i] = lanes.Band(p.Groups*p.Width, p.Groups, i)
	}
	return s
}

// Agree returns the number of features in common, or 0 if the sketches were made with
// different Params or a sketch is nil.
func Agree(a, b *Sketch) (n int) {
	if a == nil || b == nil || a.Params != b.Params || len(a.Features) != len(b.Features) {
		return 0
	}
	for i, f := range a.Features {
		if f == b.Features[i] {
			n++
		}
	}
	return n
}

// Duplicates reports whether at least Need features agree.
func (p Plan) Duplicates(a, b *Sketch) bool { return Agree(a, b) >= p.Need }

const version = 1

// AppendBinary appends the stored form of s to dst: the form of internal/codec, with the
// number of features as a varint, then 8 bytes per feature.
func (s *Sketch) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = codec.Begin(dst, codec.Supershingle, version, s.Params)
	dst = binary.AppendUvarint(dst, uint64(len(s.Features)))
	dst = codec.AppendUint64s(dst, s.Features)
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of s.
func (s *Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps signature.ErrVersion or
// signature.ErrMalformed, and then leaves s unchanged.
func (s *Sketch) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Supershingle, version)
	features := r.Uint64s("features", r.Uvarint("number of features", 0, MaxGroups))
	if err := r.Close(); err != nil {
		return err
	}
	*s = Sketch{Params: r.Params, Features: features}
	return nil
}
