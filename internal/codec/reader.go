package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

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
	begin, body := paramsEnd, len(data)-checksumSize
	if k != Signature {
		begin++
	}
	if len(data) > 0 && data[0] != version {
		r.err = fmt.Errorf("%v: version: wanted %d, got %d: %w", k, version, data[0], ErrVersion)
		return r
	}
	if body < begin {
		r.fail("length", "wanted at least %d bytes, got %d", begin+checksumSize, len(data))
		return r
	}
	if want, got := uint32(xxhash.Sum64(data[:body])), binary.LittleEndian.Uint32(data[body:]); want != got {
		r.fail("checksum", "wanted %08x, got %08x", want, got)
		return r
	}
	if k != Signature && Kind(data[paramsEnd]) != k {
		r.fail("kind", "wanted %v, got %v", k, Kind(data[paramsEnd]))
		return r
	}
	r.Params, r.rest = binary.LittleEndian.Uint32(data[1:]), data[begin:body]
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

// Uint64s reads n numbers of 8 bytes, nil if n is 0.
func (r *Reader) Uint64s(what string, n uint64) []uint64 {
	p := r.Bytes(what, n, 8)
	if len(p) == 0 {
		return nil
	}
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint64(p[8*i:])
	}
	return numbers
}

// Ascending reads n numbers of 8 bytes, each greater than the one before.
func (r *Reader) Ascending(what string, n uint64) []uint64 {
	numbers := r.Uint64s(what, n)
	for i := 1; i < len(numbers); i++ {
		if numbers[i-1] >= numbers[i] {
			r.fail(what, "wanted ascending numbers, got %#x after %#x", numbers[i], numbers[i-1])
			return nil
		}
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
