package signature

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// formatVersion is the version of the stored form and of everything that decides
// what a signature's bits are: tokens, hashes, lanes. A change to any of these
// needs a new version.
const formatVersion = 1

// These errors are returned, wrapped with details, when a stored signature is
// read.
var (
	// ErrVersion: the signature was written by a version of this library that
	// this one does not know.
	ErrVersion = errors.New("unknown signature version")

	// ErrMalformed: the bytes are cut short, too long, altered, or not a
	// signature at all.
	ErrMalformed = errors.New("malformed signature")
)

// A stored signature is, in binary,
//
//	offset  size  what
//	0       1     version, 1
//	1       4     Params, little-endian
//	5       8     Exact, little-endian
//	13      8     Simhash, little-endian
//	21      1-10  Tokens, as a varint
//	..      1-10  Shingles, as a varint
//	..      1-2   Lanes, as a varint: 0, or 16 to 1024
//	..      2/lane  the lanes, little-endian
//	last    4     the low 32 bits of the xxHash64 of all before, little-endian
//
// 230 bytes for a usual document with 100 lanes. In text it is the unpadded
// standard base64 of these bytes: stored fields cross from shard to shard as
// JSON, which destroys bytes that are not UTF-8.

var textEncoding = base64.RawStdEncoding.Strict()

const (
	fixedSize    = 21
	checksumSize = 4
)

// AppendBinary appends the stored form of s to dst.
func (s *Signature) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = append(dst, formatVersion)
	dst = binary.LittleEndian.AppendUint32(dst, s.Params)
	dst = binary.LittleEndian.AppendUint64(dst, s.Exact)
	dst = binary.LittleEndian.AppendUint64(dst, s.Simhash)
	dst = binary.AppendUvarint(dst, s.Tokens)
	dst = binary.AppendUvarint(dst, s.Shingles)
	dst = binary.AppendUvarint(dst, uint64(s.Lanes))
	for i := range s.Lanes {
		dst = binary.LittleEndian.AppendUint16(dst, s.Sketch.Lane(i))
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(xxhash.Sum64(dst[begin:]))), nil
}

// MarshalBinary returns the stored form of s.
func (s *Signature) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads a stored form. It returns an error that wraps ErrVersion
// or ErrMalformed, and then leaves s as it was; it allocates no more than the
// length of data explains. It does not keep data.
func (s *Signature) UnmarshalBinary(data []byte) error {
	if len(data) > 0 && data[0] != formatVersion {
		return fmt.Errorf("signature: version: wanted %d, got %d: %w", formatVersion, data[0], ErrVersion)
	}
	body := len(data) - checksumSize
	if body < fixedSize {
		return fmt.Errorf("signature: wanted at least %d bytes, got %d: %w", fixedSize+checksumSize, len(data), ErrMalformed)
	}
	if want, got := uint32(xxhash.Sum64(data[:body])), binary.LittleEndian.Uint32(data[body:]); want != got {
		return fmt.Errorf("signature: checksum: wanted %08x, got %08x: %w", want, got, ErrMalformed)
	}
	v := Signature{
		Params:  binary.LittleEndian.Uint32(data[1:]),
		Exact:   binary.LittleEndian.Uint64(data[5:]),
		Simhash: binary.LittleEndian.Uint64(data[13:]),
	}
	rest := data[fixedSize:body]
	var lanes uint64
	for _, field := range []struct {
		name string
		to   *uint64
	}{{"tokens", &v.Tokens}, {"shingles", &v.Shingles}, {"lanes", &lanes}} {
		x, n := binary.Uvarint(rest)
		if n <= 0 {
			return fmt.Errorf("signature: %s: wanted a varint, got %x: %w", field.name, rest[:min(len(rest), binary.MaxVarintLen64)], ErrMalformed)
		}
		*field.to, rest = x, rest[n:]
	}
	if lanes != 0 && (lanes < sketch.MinLanes || lanes > sketch.MaxLanes) || (lanes == 0) != (v.Shingles == 0) {
		return fmt.Errorf("signature: lanes: wanted %d to %d, or 0 without shingles, got %d with %d shingles: %w",
			sketch.MinLanes, sketch.MaxLanes, lanes, v.Shingles, ErrMalformed)
	}
	if uint64(len(rest)) != 2*lanes {
		return fmt.Errorf("signature: wanted %d bytes of lanes, got %d: %w", 2*lanes, len(rest), ErrMalformed)
	}
	if lanes > 0 {
		v.Lanes = int(lanes)
		v.Sketch = make(sketch.Sketch, sketch.Words(v.Lanes))
		for i := range v.Lanes {
			v.Sketch.Set(i, binary.LittleEndian.Uint16(rest[2*i:]))
		}
	}
	*s = v
	return nil
}

// AppendText appends the text form of s to dst.
func (s *Signature) AppendText(dst []byte) ([]byte, error) {
	var buf [fixedSize + 22 + 2*128 + checksumSize]byte
	data, err := s.AppendBinary(buf[:0])
	if err != nil {
		return dst, err
	}
	return textEncoding.AppendEncode(dst, data), nil
}

// MarshalText returns the text form of s.
func (s *Signature) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText reads the text form, as UnmarshalBinary does the binary one.
func (s *Signature) UnmarshalText(text []byte) error {
	data, err := textEncoding.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("signature: %w: %w", err, ErrMalformed)
	}
	if len(text) != textEncoding.EncodedLen(len(data)) {
		return fmt.Errorf("signature: wanted base64 without line breaks: %w", ErrMalformed)
	}
	return s.UnmarshalBinary(data)
}

// SimhashText returns the simhash as it is stored beside the signature: 16
// hexadecimal digits.
func SimhashText(h uint64) string {
	const digits = 16
	s := strconv.FormatUint(h, 16)
	return "0000000000000000"[:digits-len(s)] + s
}
