// Package codec is the stored form that signatures and sketches share. [Begin] and [Seal]
// write the frame around the content, and a [Reader] reads a stored form.
//
//	offset  size  what
//	0       1     version
//	1       4     the ID of the parameters, little-endian
//	5       1     the Kind
//	6       ..    the content
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
	Signature    Kind = 'S'
	Lanes        Kind = 'l' // classic.Minwise
	Bottom       Kind = 'b'
	Modm         Kind = 'm'
	Supershingle Kind = 's'
	Winnow       Kind = 'w'
	Template     Kind = 't' // template.Set
	Templates    Kind = 'T' // template.Sets
)

// names are those of the packages, with which errors begin.
var names = map[Kind]string{
	Signature: "signature", Lanes: "sketch", Bottom: "bottom", Modm: "modm", Supershingle: "supershingle", Winnow: "winnow",
	Template: "template", Templates: "templates",
}

// String names the kind.
func (k Kind) String() string {
	if name, ok := names[k]; ok {
		return name
	}
	return fmt.Sprintf("kind %#02x", byte(k))
}

const (
	headSize     = 6
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
	return append(binary.LittleEndian.AppendUint32(dst, params), byte(k))
}

// AppendAscending appends how many numbers there are, the first, and for each other one its distance from the number
// before it, all as varints.
func AppendAscending(dst []byte, numbers []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(numbers)))
	before := uint64(0)
	for _, n := range numbers {
		dst = binary.AppendUvarint(dst, n-before)
		before = n
	}
	return dst
}

// Seal appends the checksum of a stored form that begins at dst[begin]. It panics if there
// is no such place.
func Seal(dst []byte, begin int) []byte {
	return binary.LittleEndian.AppendUint32(dst, uint32(xxhash.Sum64(dst[begin:])))
}

// Reader reads one stored form. It keeps the first error and Close returns it; after an
// error every number is 0.
type Reader struct {
	// Params is the ID of the parameters.
	Params uint32

	kind Kind
	rest []byte
	err  error
}

// Open returns a Reader of data, which must be of this kind and version.
func Open(data []byte, k Kind, version byte) Reader {
	r := Reader{kind: k}
	body := len(data) - checksumSize
	if len(data) > 0 && data[0] != version {
		r.err = fmt.Errorf("%v: version: wanted %d, got %d: %w", k, version, data[0], ErrVersion)
		return r
	}
	if body < headSize {
		r.fail("length", "wanted at least %d bytes, got %d", headSize+checksumSize, len(data))
		return r
	}
	if want, got := uint32(xxhash.Sum64(data[:body])), binary.LittleEndian.Uint32(data[body:]); want != got {
		r.fail("checksum", "wanted %08x, got %08x", want, got)
		return r
	}
	if got := Kind(data[headSize-1]); got != k {
		r.fail("kind", "wanted %v, got %v", k, got)
		return r
	}
	r.Params, r.rest = binary.LittleEndian.Uint32(data[1:]), data[headSize:body]
	return r
}

// fail keeps an error about what, unless there is one already.
func (r *Reader) fail(what, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%v: %s: %s: %w", r.kind, what, fmt.Sprintf(format, args...), ErrMalformed)
	}
	r.rest = nil
}

// Check keeps an error about what if ok is false.
func (r *Reader) Check(ok bool, what, wanted string) {
	if !ok {
		r.fail(what, "wanted %s", wanted)
	}
}

// Uvarint reads a varint from least to most. It has no more bytes than it needs: a content has
// one stored form.
func (r *Reader) Uvarint(what string, least, most uint64) uint64 {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail(what, "wanted a varint, got %x", r.rest[:min(len(r.rest), binary.MaxVarintLen64)])
		return 0
	}
	if n > 1 && r.rest[n-1] == 0 {
		r.fail(what, "wanted the shortest varint of %d, got %x", x, r.rest[:n])
		return 0
	}
	if x < least || x > most {
		r.fail(what, "wanted %d to %d, got %d", least, most, x)
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

// Bytes reads n items of size bytes each. The result is part of the input, not a copy.
func (r *Reader) Bytes(what string, n uint64, size int) []byte {
	if n > uint64(len(r.rest)/size) {
		r.fail(what, "wanted %d of %d bytes each, got %d bytes", n, size, len(r.rest))
		return nil
	}
	p := r.rest[:int(n)*size]
	r.rest = r.rest[len(p):]
	return p
}

// Uint64 reads a number of 8 bytes.
func (r *Reader) Uint64(what string) uint64 {
	if p := r.Bytes(what, 1, 8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

// Distances reads what AppendAscending wrote: ascending numbers of so many bits, at most so many.
func (r *Reader) Distances(most uint64, bits int) []uint64 {
	n := r.Uvarint("number of values", 0, min(most, uint64(len(r.rest))))
	numbers := make([]uint64, 0, n)
	before, least := uint64(0), uint64(0)
	for range n {
		before += r.Uvarint("distance", least, 1<<bits-1-before)
		numbers, least = append(numbers, before), 1
	}
	return numbers
}

// Close returns the first error. Bytes that were not read are an error.
func (r *Reader) Close() error {
	if len(r.rest) > 0 {
		r.fail("length", "wanted no more bytes, got %d", len(r.rest))
	}
	return r.err
}
