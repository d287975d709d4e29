package neartest

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/internal/codec"
)

// Stored has a stored form of internal/codec.
type Stored interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Input is a stored form that must be rejected with an error that wraps Err.
type Input struct {
	Name string
	Data []byte
	Err  error
}

// Seal joins parts of a stored form and adds a valid checksum. Without it nothing after the
// checksum would ever be tested.
func Seal(parts ...[]byte) []byte {
	data := slices.Concat(parts...)
	return binary.LittleEndian.AppendUint32(data, uint32(xxhash.Sum64(data)))
}

// Uvarints returns numbers as varints.
func Uvarints(numbers ...uint64) (data []byte) {
	for _, n := range numbers {
		data = binary.AppendUvarint(data, n)
	}
	return data
}

// BadInputs returns inputs that are wrong for any kind of sketch. They are made from good,
// a stored form: cut anywhere, with any byte altered, with another version or kind, with
// bytes too many, and good's head with a content that claims absurd lengths.
func BadInputs(good []byte) (all []Input) {
	add := func(name string, data []byte, err error) { all = append(all, Input{name, data, err}) }
	body := good[:len(good)-4]
	head, content := body[:6], body[6:]
	for n := range good {
		add(fmt.Sprintf("cut after %d bytes", n), good[:n], codec.ErrMalformed)
	}
	for n := range content {
		add(fmt.Sprintf("cut after %d bytes, with a checksum", n), Seal(head, content[:n]), codec.ErrMalformed)
	}
	for i := range good {
		want := codec.ErrMalformed
		if i == 0 {
			want = codec.ErrVersion
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			data := slices.Clone(good)
			data[i] ^= flip
			add(fmt.Sprintf("byte %d altered by %#x", i, flip), data, want)
		}
	}
	for _, version := range []byte{0, 2, 255} {
		add(fmt.Sprintf("version %d", version), Seal([]byte{version}, body[1:]), codec.ErrVersion)
	}
	for kind := range 256 {
		if byte(kind) != head[5] {
			add(fmt.Sprintf("kind %d", kind), Seal(head[:5], []byte{byte(kind)}, content), codec.ErrMalformed)
		}
	}
	add("no kind", Seal(head[:5], content), codec.ErrMalformed)
	add("a byte more", Seal(body, []byte{0}), codec.ErrMalformed)
	add("twice", Seal(body, body), codec.ErrMalformed)
	for _, n := range []uint64{1 << 17, 1 << 31, 1 << 32, 1<<60 + 1, 1 << 61, 1 << 63, 1<<64 - 1} {
		add(fmt.Sprintf("a length of %d", n), Seal(head, Uvarints(n), content[1:]), codec.ErrMalformed)
		add(fmt.Sprintf("a second length of %d", n), Seal(head, content[:1], Uvarints(n), content[2:]), codec.ErrMalformed)
	}
	endless := bytes.Repeat([]byte{0xff}, 11)
	add("a varint without end", Seal(head, endless), codec.ErrMalformed)
	add("a second varint without end", Seal(head, content[:1], endless), codec.ErrMalformed)
	return all
}

// Reject reads every input into a value that blank returns. It returns an error if an input
// is not rejected as it must be, changes the receiver, or makes it allocate more than the
// length of the input justifies. Nothing else may run at the same time.
func Reject(blank func() Stored, inputs []Input) error {
	for _, in := range inputs {
		s := blank()
		before, err := s.MarshalBinary()
		if err != nil {
			return err
		}
		least := ^uint64(0)
		for range 3 { // the runtime allocates now and then too
			var from, to runtime.MemStats
			runtime.ReadMemStats(&from)
			err = s.UnmarshalBinary(in.Data)
			runtime.ReadMemStats(&to)
			least = min(least, to.TotalAlloc-from.TotalAlloc)
		}
		if !errors.Is(err, in.Err) {
			return fmt.Errorf("%s: wanted an error that wraps %q, got %v", in.Name, in.Err, err)
		}
		if most := uint64(2000 + 2*len(in.Data)); least > most {
			return fmt.Errorf("%s: wanted at most %d bytes allocated, got %d", in.Name, most, least)
		}
		after, err := s.MarshalBinary()
		if err != nil {
			return err
		}
		if !bytes.Equal(before, after) {
			return fmt.Errorf("%s: wanted the receiver unchanged, got %x instead of %x", in.Name, after, before)
		}
	}
	return nil
}

// Fuzz fuzzes the reading of a stored form, starting from inputs and from good, which is
// valid. Each input is read as it is and again with a valid checksum, so that more than the
// checksum is tested. What is rejected is rejected with an error of internal/codec. A value that was
// read must be the same after it is written and read again; then Fuzz calls read with it.
func Fuzz(f *testing.F, blank func() Stored, good []byte, inputs []Input, read func(t *testing.T, s Stored)) {
	f.Add(good)
	for _, in := range inputs {
		f.Add(in.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, Seal(data[:max(0, len(data)-4)])} {
			s, again := blank(), blank()
			switch err := s.UnmarshalBinary(data); {
			case errors.Is(err, codec.ErrMalformed), errors.Is(err, codec.ErrVersion):
				continue
			case err != nil:
				t.Fatalf("wanted an error that wraps one of package codec, got %v", err)
			}
			written, err := s.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if err := again.UnmarshalBinary(written); err != nil {
				t.Fatal(err)
			}
			if rewritten, err := again.MarshalBinary(); err != nil || !bytes.Equal(written, rewritten) {
				t.Fatalf("wanted %x again, got %x, %v", written, rewritten, err)
			}
			read(t, s)
		}
	})
}
