package signature

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// formatVersion is the version of the stored form and of everything that decides the bits
// of a signature: tokens, hashes, lanes. A change to any of these needs a new version. FORMAT.md
// specifies them all.
const formatVersion = 3

// These errors are returned, wrapped with details, when a stored signature
// is read.
var (
	// ErrVersion: the signature was written by a version of this library that this version
	// does not know.
	ErrVersion = codec.ErrVersion

	// ErrMalformed: the bytes are cut short, too long, altered, or not a
	// signature at all.
	ErrMalformed = codec.ErrMalformed
)

// FORMAT.md, section 13, has the stored form byte by byte: 131 bytes for a usual document with 100 lanes. The text
// form is the unpadded standard base64 of these: stored fields travel from shard to shard as JSON, which
// destroys bytes that are not UTF-8.

var textEncoding = base64.RawStdEncoding.Strict()

// AppendBinary appends the stored form of s to dst.
func (s *Signature) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = slices.Grow(dst, 64+s.Lanes)
	dst = codec.Begin(dst, codec.Signature, formatVersion, s.Params)
	dst = binary.LittleEndian.AppendUint64(dst, s.Exact)
	dst = binary.LittleEndian.AppendUint64(dst, s.Simhash)
	dst = binary.AppendUvarint(dst, s.Tokens)
	dst = binary.AppendUvarint(dst, s.Shingles)
	dst = binary.AppendUvarint(dst, uint64(s.Lanes))
	lanes := len(dst)
	for _, word := range s.Sketch[:sketch.Words(s.Lanes):len(s.Sketch)] { // lane i is byte i
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	dst = dst[:lanes+s.Lanes]
	return codec.Seal(dst, begin), nil
}

// MarshalBinary returns the stored form of s.
func (s *Signature) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary reads a stored form, into the memory of s.Sketch if there is enough. It returns an error that wraps
// ErrVersion or ErrMalformed, and then leaves s unchanged. It allocates no more than the length of data
// justifies, and does not keep data.
func (s *Signature) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Signature, formatVersion)
	v := Signature{
		Params:   r.Params,
		Exact:    r.Uint64("exact hash"),
		Simhash:  r.Uint64("simhash"),
		Tokens:   r.Uvarint("tokens", 0, math.MaxUint64),
		Shingles: r.Uvarint("shingles", 0, math.MaxUint64),
		Lanes:    int(r.Uvarint("lanes", 0, sketch.MaxLanes)),
	}
	if v.Shingles == 0 {
		r.Check(v.Lanes == 0, "lanes", "none without shingles")
	} else {
		r.Check(v.Lanes >= sketch.MinLanes, "lanes", "16 or more")
	}
	lanes := r.Bytes("lanes", uint64(v.Lanes), 1)
	if err := r.Close(); err != nil {
		return err
	}
	if v.Lanes > 0 {
		words := sketch.Words(v.Lanes)
		v.Sketch = slices.Grow(s.Sketch[:0], words)[:words]
		v.Sketch[words-1] = 0
		for i := range v.Lanes / 8 {
			v.Sketch[i] = binary.LittleEndian.Uint64(lanes[8*i:])
		}
		for i := v.Lanes &^ 7; i < v.Lanes; i++ {
			v.Sketch.Set(i, lanes[i])
		}
	}
	*s = v
	return nil
}

// AppendText appends the text form of s to dst.
func (s *Signature) AppendText(dst []byte) ([]byte, error) {
	var buf [512]byte
	data, err := s.AppendBinary(buf[:0])
	if err != nil {
		return dst, err
	}
	return textEncoding.AppendEncode(dst, data), nil
}

// MarshalText returns the text form of s.
func (s *Signature) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText reads the text form, as UnmarshalBinary reads the binary form.
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
