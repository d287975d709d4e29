package modm

import (
	"encoding/binary"
	"math"

	"github.com/neardup/bleve-neardup/internal/codec"
)

const version = 1

// AppendBinary appends the stored form of s to dst: the form of internal/codec, with the
// modulus and the number of values as varints, then 8 bytes per value.
func (s *Sketch) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = codec.Begin(dst, codec.Modm, version, s.Params)
	dst = binary.AppendUvarint(dst, s.Modulus)
	dst = binary.AppendUvarint(dst, uint64(len(s.Values)))
	dst = codec.AppendUint64s(dst, s.Values)
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of s.
func (s *Sketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps signature.ErrVersion or
// signature.ErrMalformed, and then leaves s unchanged.
func (s *Sketch) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Modm, version)
	modulus := r.Uvarint("modulus", 1, MaxModulus)
	values := r.Ascending("values", r.Uvarint("number of values", 0, math.MaxUint64))
	for _, v := range values {
		r.Check(v%modulus == 0, "values", "multiples of the modulus")
	}
	if err := r.Close(); err != nil {
		return err
	}
	*s = Sketch{Params: r.Params, Modulus: modulus, Values: values}
	return nil
}
