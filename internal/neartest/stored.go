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

	"github.com/neardup/bleve-neardup/internal/codec"
)

// Stored has a stored form of internal/codec.
type Stored interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Seal joins parts of a stored form and adds a valid checksum. Without it nothing after the
// checksum would ever be tested.
func Seal(parts ...[]byte) []byte { return codec.Seal(slices.Concat(parts...), 0) }

// Uvarints returns numbers as varints.
func Uvarints(numbers ...uint64) (data []byte) {
	for _, n := range numbers {
		data = binary.AppendUvarint(data, n)
	}
	return data
}

// Malformed returns stored forms that must be rejected, by what is wrong with them: good, a valid one, that is cut
// anywhere, with any byte altered, with another version or kind, with bytes too many; and its head with each of contents.
func Malformed(good []byte, contents map[string][]byte) map[string][]byte {
	body := good[:len(good)-4]
	head, content := body[:6], body[6:]
	all := map[string][]byte{"no kind": Seal(head[:5], content), "a byte more": Seal(body, []byte{0}), "twice": Seal(body, body)}
	for n := range good {
		all[fmt.Sprintf("cut after %d bytes", n)] = good[:n]
		for _, flip := range []byte{1, 0x80, 0xff} {
			data := slices.Clone(good)
			data[n] ^= flip
			all[fmt.Sprintf("byte %d altered by %#x", n, flip)] = data
		}
	}
	for n := range content {
		all[fmt.Sprintf("cut after %d bytes, with a checksum", n)] = Seal(head, content[:n])
	}
	for n := range 256 {
		if byte(n) != head[0] {
			all[fmt.Sprintf("version %d", n)] = Seal([]byte{byte(n)}, body[1:])
		}
		if byte(n) != head[5] {
			all[fmt.Sprintf("kind %d", n)] = Seal(head[:5], []byte{byte(n)}, content)
		}
	}
	for name, content := range contents {
		all[name] = Seal(head, content)
	}
	return all
}

// Reject reads each of inputs into a value that blank returns. It fails the test if one of another version than good is
// not rejected as such, any other one not as malformed, or if one changes the receiver, or makes it allocate more than
// the length of the input justifies. Nothing else may run at the same time.
func Reject(t *testing.T, blank func() Stored, good []byte, inputs map[string][]byte) {
	t.Helper()
	for name, data := range inputs {
		want := codec.ErrMalformed
		if len(data) > 0 && data[0] != good[0] {
			want = codec.ErrVersion
		}
		s := blank()
		before, _ := s.MarshalBinary()
		least := ^uint64(0)
		for range 3 { // the runtime allocates now and then too
			var from, to runtime.MemStats
			runtime.ReadMemStats(&from)
			err := s.UnmarshalBinary(data)
			runtime.ReadMemStats(&to)
			least = min(least, to.TotalAlloc-from.TotalAlloc)
			if !errors.Is(err, want) {
				t.Fatalf("%s: wanted an error that wraps %q, got %v", name, want, err)
			}
		}
		if most := uint64(2000 + 2*len(data)); least > most {
			t.Errorf("%s: wanted at most %d bytes allocated, got %d", name, most, least)
		}
		if after, err := s.MarshalBinary(); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: wanted the receiver unchanged, got %x instead of %x, %v", name, after, before, err)
		}
	}
}

// Fuzz fuzzes the reading of a stored form, starting from good and inputs. Each input is read as it is and again with a
// valid checksum, so that more than the checksum is tested. A value that was read must be the same after it is written
// and read again; then Fuzz calls read with it.
func Fuzz(f *testing.F, blank func() Stored, good []byte, inputs map[string][]byte, read func(t *testing.T, s Stored)) {
	f.Add(good)
	for _, data := range inputs {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, Seal(data[:max(0, len(data)-4)])} {
			s, again := blank(), blank()
			if err := s.UnmarshalBinary(data); err != nil {
				if !errors.Is(err, codec.ErrMalformed) && !errors.Is(err, codec.ErrVersion) {
					t.Fatalf("wanted an error that wraps one of package codec, got %v", err)
				}
				continue
			}
			written, err := s.MarshalBinary()
			if err = errors.Join(err, again.UnmarshalBinary(written)); err != nil {
				t.Fatal(err)
			}
			if rewritten, err := again.MarshalBinary(); err != nil || !bytes.Equal(written, rewritten) {
				t.Fatalf("wanted %x again, got %x, %v", written, rewritten, err)
			}
			read(t, s)
		}
	})
}
