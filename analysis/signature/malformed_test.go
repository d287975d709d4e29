package signature_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// sealed joins parts of a stored form and adds a valid checksum. Without it nothing after
// the checksum would ever be tested.
func sealed(parts ...[]byte) []byte {
	data := slices.Concat(parts...)
	return binary.LittleEndian.AppendUint32(data, uint32(xxhash.Sum64(data)))
}

func varints(numbers ...uint64) (data []byte) {
	for _, n := range numbers {
		data = binary.AppendUvarint(data, n)
	}
	return data
}

// stored returns the stored form of some document.
func stored(tb testing.TB) []byte {
	tb.Helper()
	s := signature.Of(signature.DefaultParams(), plain(words(rand.New(rand.NewPCG(1, 2)), 450, 1<<20)))
	data, err := s.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

type malformed struct {
	name string
	data []byte
	err  error
}

// malformedInputs has one of every kind: the seeds of FuzzUnmarshalBinary.
func malformedInputs(tb testing.TB) []malformed {
	good := stored(tb)
	head := good[:22] // version, Params, Kind, Exact, Simhash
	lanes := good[27:127]
	long := slices.Repeat([]byte{0xff}, 11)
	withVersion := func(v byte) []byte { return sealed([]byte{v}, good[1:127]) }
	return []malformed{
		{"nothing", nil, signature.ErrMalformed},
		{"the version alone", good[:1], signature.ErrMalformed},
		{"the head alone", head, signature.ErrMalformed},
		{"the head and a checksum", sealed(head), signature.ErrMalformed},
		{"a newer version", withVersion(4), signature.ErrVersion},
		{"an older version", withVersion(2), signature.ErrVersion},
		{"version 0", withVersion(0), signature.ErrVersion},
		{"version 255", withVersion(255), signature.ErrVersion},
		{"a newer version, short", []byte{4}, signature.ErrVersion},
		{"zeros after the version", append([]byte{3}, make([]byte, 130)...), signature.ErrMalformed},
		{"a byte more", sealed(good[:127], []byte{0}), signature.ErrMalformed},
		{"twice", sealed(good, good), signature.ErrMalformed},
		{"a lane less", sealed(good[:126]), signature.ErrMalformed},
		{"another kind", sealed(good[:5], []byte("w"), good[6:127]), signature.ErrMalformed},
		{"no lanes after their number", sealed(head, varints(450, 447, 100)), signature.ErrMalformed},
		{"no number of lanes", sealed(head, varints(450, 447)), signature.ErrMalformed},
		{"too few lanes", sealed(head, varints(450, 447, 15), lanes[:15]), signature.ErrMalformed},
		{"too many lanes", sealed(head, varints(450, 447, 1025), make([]byte, 1025)), signature.ErrMalformed},
		{"2^20 lanes", sealed(head, varints(450, 447, 1<<20), lanes), signature.ErrMalformed},
		{"2^63 lanes", sealed(head, varints(450, 447, 1<<63), lanes), signature.ErrMalformed},
		{"2^63+100 lanes", sealed(head, varints(450, 447, 1<<63+100), lanes), signature.ErrMalformed},
		{"2^64-1 lanes", sealed(head, varints(450, 447, 1<<64-1), lanes), signature.ErrMalformed},
		{"no lanes but shingles", sealed(head, varints(450, 447, 0)), signature.ErrMalformed},
		{"lanes but no shingles", sealed(head, varints(450, 0, 100), lanes), signature.ErrMalformed},
		{"a varint without end", sealed(head, long), signature.ErrMalformed},
		{"the last varint without end", sealed(head, varints(450, 447), []byte{0x80}), signature.ErrMalformed},
		{"a varint beyond 64 bits", sealed(head, long[:9], []byte{2}, varints(447, 100), lanes), signature.ErrMalformed},
	}
}

// checkRejected reads input that must give an error and leave the receiver unchanged.
func checkRejected(t *testing.T, name string, read func(*signature.Signature) error, want error) {
	t.Helper()
	before := signature.Of(signature.DefaultParams(), []byte("one two three four five six"))
	got := before
	got.Sketch = slices.Clone(before.Sketch)
	if err := read(&got); !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want one that wraps %q", name, err, want)
	}
	if !reflect.DeepEqual(got, before) {
		t.Errorf("%s: the receiver was changed to %+v", name, got)
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, tt := range malformedInputs(t) {
		checkRejected(t, tt.name, func(s *signature.Signature) error { return s.UnmarshalBinary(tt.data) }, tt.err)
		text := []byte(base64.RawStdEncoding.EncodeToString(tt.data))
		checkRejected(t, tt.name+", text", func(s *signature.Signature) error { return s.UnmarshalText(text) }, tt.err)
	}
	for _, text := range []string{"=", "AQ==", "A", "AQ AQ", "{}", "\xff\xff", "AQ-_"} {
		checkRejected(t, text, func(s *signature.Signature) error { return s.UnmarshalText([]byte(text)) }, signature.ErrMalformed)
	}
}

// A stored form that is cut anywhere, or altered in any byte, is rejected.
func TestAltered(t *testing.T) {
	t.Parallel()
	good := stored(t)
	for n := range good {
		checkRejected(t, "cut", func(s *signature.Signature) error { return s.UnmarshalBinary(good[:n]) }, signature.ErrMalformed)
	}
	for i := range good {
		want := signature.ErrMalformed
		if i == 0 {
			want = signature.ErrVersion
		}
		for _, flip := range []byte{1, 0x10, 0x80, 0xff} {
			data := slices.Clone(good)
			data[i] ^= flip
			checkRejected(t, "altered", func(s *signature.Signature) error { return s.UnmarshalBinary(data) }, want)
		}
	}
}

// The same for its text form, of which there is only one: base64 that ends in bits which
// mean nothing, or that has line breaks, is rejected too.
func TestAlteredText(t *testing.T) {
	t.Parallel()
	good := base64.RawStdEncoding.AppendEncode(nil, stored(t))
	for n := range good {
		checkRejected(t, "cut", func(s *signature.Signature) error { return s.UnmarshalText(good[:n]) }, signature.ErrMalformed)
	}
	for i := 2; i < len(good); i++ { // the two before that are the version
		for _, c := range []byte("Az09+/=-_ \n\x00\xff") {
			data := slices.Clone(good)
			data[i] = c
			if c != good[i] {
				checkRejected(t, string(data), func(s *signature.Signature) error { return s.UnmarshalText(data) }, signature.ErrMalformed)
			}
		}
	}
	for i := range len(good) + 1 {
		broken := slices.Insert(slices.Clone(good), i, '\n')
		checkRejected(t, string(broken), func(s *signature.Signature) error { return s.UnmarshalText(broken) }, signature.ErrMalformed)
	}
}

// Reading takes no more memory than the length of the input justifies, whatever the input
// claims.
func TestBoundedAllocation(t *testing.T) {
	for _, tt := range malformedInputs(t) {
		const runs = 100
		var s signature.Signature
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			if err := s.UnmarshalBinary(tt.data); err == nil {
				t.Fatalf("%s: no error", tt.name)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / runs; each > 2000 {
			t.Errorf("%s: %d bytes allocated to read %d", tt.name, each, len(tt.data))
		}
	}
}

func checkReadable(t *testing.T, data []byte, read func(*signature.Signature, []byte) error, write func(*signature.Signature) ([]byte, error)) {
	t.Helper()
	var s, again signature.Signature
	if err := read(&s, data); err != nil {
		if !errors.Is(err, signature.ErrMalformed) && !errors.Is(err, signature.ErrVersion) {
			t.Errorf("error %v wraps neither ErrMalformed nor ErrVersion", err)
		}
		if !reflect.DeepEqual(s, signature.Signature{}) {
			t.Errorf("after an error: %+v", s)
		}
		return
	}
	written, err := write(&s)
	if err != nil {
		t.Fatal(err)
	}
	if err := read(&again, written); err != nil {
		t.Fatal(err)
	}
	checkEqual(t, "read, written and read", again, s)
	signature.Rule{}.Match(&s, &again)
	signature.Rule{}.Duplicates(&s, &again)
}

func FuzzUnmarshalBinary(f *testing.F) {
	f.Add(stored(f))
	for _, m := range malformedInputs(f) {
		f.Add(m.data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkReadable(t, data, (*signature.Signature).UnmarshalBinary, (*signature.Signature).MarshalBinary)
		checkReadable(t, sealed(data[:max(0, len(data)-4)]), (*signature.Signature).UnmarshalBinary, (*signature.Signature).MarshalBinary)
	})
}

func FuzzUnmarshalText(f *testing.F) {
	for _, m := range append(malformedInputs(f), malformed{data: stored(f)}) {
		f.Add([]byte(base64.RawStdEncoding.EncodeToString(m.data)))
	}
	f.Add([]byte("AQ=="))
	f.Fuzz(func(t *testing.T, text []byte) {
		checkReadable(t, text, (*signature.Signature).UnmarshalText, (*signature.Signature).MarshalText)
	})
}
