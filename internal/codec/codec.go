// Package codec is the stored form that signatures and sketches share. [Begin] and [Seal]
// write the frame around the content, and a [Reader] reads a stored form.
//
//	offset  size  what
//	0       1     version
//	1       4     the ID of the parameters, little-endian
//	5       1     the Kind; not in a signature, whose form is older than kinds
//	5 or 6  ..    the content
//	last    4     the low 32 bits of the xxHash64 of all bytes before, little-endian
//
// Numbers in the content are little-endian, counts are varints. A [Reader] checks version,
// kind and checksum before anything else, and takes no more memory than the length of its
// input justifies, whatever the input claims.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// These errors are returned, wrapped with details, when a stored form is read.
var (
	// ErrVersion: a version of this library that this version does not know wrote the form.
	ErrVersion = errors.New("unknown version of the stored form")

	// ErrMalformed: the bytes are cut short, too long, altered, of another kind,
	// or not a stored form at all.
	ErrMalformed = errors.New("malformed stored form")
)

// Kind says what is stored.
type Kind byte

// The kinds.
const (
	Signature    Kind = 0
	Lanes        Kind = 'l' // sketch.Full, also from classic.MinwiseOf
	Bottom       Kind = 'b'
	Modm         Kind = 'm'
	Supershingle Kind = 's'
	Winnow       Kind = 'w'
)

// String returns the name of the package, with which errors begin.
func (k Kind) String() string {
	switch k {
	case Signature:
		return "signature"
	case Lanes:
		return "sketch"
	case Bottom:
		return "bottom"
	case Modm:
		return "modm"
	case Supershingle:
		return "supershingle"
	case Winnow:
		return "winnow"
	}
	return fmt.Sprintf("kind %#02x", byte(k))
}

const (
	paramsEnd    = 5
	checksumSize = 4
)

// ID is a fingerprint of the parameters of a sketch: the low 32 bits of the xxHash64 of k
// and the numbers. Sketches can be compared only if their IDs are equal. A seed is part of
// the ID and cannot be read from it.
func ID(k Kind, numbers ...uint64) uint32 {
	var buf [1 + 8*8]byte
	data := append(buf[:0], byte(k))
	for _, n := range numbers {
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	return uint32(xxhash.Sum64(data))
}

// Begin appends to dst the bytes before the content.
func Begin(dst []byte, k Kind, version byte, params uint32) []byte {
	dst = append(dst, version)
	dst = binary.LittleEndian.AppendUint32(dst, params)
	if k != Signature {
		dst = append(dst, byte(k))
	}
	return dst
}

// AppendUint64s appends numbers of 8 bytes each.
func AppendUint64s(dst []byte, numbers []uint64) []byte {
	for _, n := range numbers {
		dst = binary.LittleEndian.AppendUint64(dst, n)
	}
	return dst
}

// Seal appends the checksum of a stored form that begins at dst[begin]. It panics if there
// is no such place.
func Seal(dst []byte, begin int) []byte {
	return binary.LittleEndian.AppendUint32(dst, uint32(xxhash.Sum64(dst[begin:])))
}
