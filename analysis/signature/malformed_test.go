package signature_test

import (
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

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

// blank is a signature that reading must not change, unless it succeeds.
func blank() neartest.Stored {
	s := signature.Of(signature.DefaultParams(), []byte("one two three four five six"))
	return &s
}

func malformed(tb testing.TB) map[string][]byte {
	good := stored(tb)
	lanes, long := good[27:127], slices.Repeat([]byte{0xff}, 11)
	content := func(parts ...[]byte) []byte { return slices.Concat(good[6:22], slices.Concat(parts...)) } // after exact hash and simhash
	of := func(lanes int, numbers ...uint64) []byte {
		return content(neartest.Uvarints(numbers...), make([]byte, lanes))
	}
	return neartest.Malformed(good, map[string][]byte{
		"no lanes after their number":   of(0, 450, 447, 100),
		"no number of lanes":            of(0, 450, 447),
		"too few lanes":                 of(15, 450, 447, 15),
		"too many lanes":                of(1025, 450, 447, 1025),
		"2^20 lanes":                    of(100, 450, 447, 1<<20),
		"2^63 lanes":                    of(100, 450, 447, 1<<63),
		"2^63+100 lanes":                of(100, 450, 447, 1<<63+100),
		"2^64-1 lanes":                  of(100, 450, 447, 1<<64-1),
		"no lanes but shingles":         of(0, 450, 447, 0),
		"lanes but no shingles":         of(100, 450, 0, 100),
		"a varint without end":          content(long),
		"the last varint without end":   content(neartest.Uvarints(450, 447), []byte{0x80}),
		"a varint beyond 64 bits":       content(long[:9], []byte{2}, neartest.Uvarints(447, 100), lanes),
		"zeros after exact and simhash": make([]byte, 130),
	})
}

func TestMalformed(t *testing.T) {
	good := stored(t)
	all := malformed(t)
	neartest.Reject(t, blank, good, all)
	for name, data := range all {
		want := signature.ErrMalformed
		if len(data) > 0 && data[0] != good[0] {
			want = signature.ErrVersion
		}
		checkRejectedText(t, name, base64.RawStdEncoding.AppendEncode(nil, data), want)
	}
}

func checkRejectedText(t *testing.T, name string, text []byte, want error) {
	t.Helper()
	before := blank().(*signature.Signature)
	got := blank().(*signature.Signature)
	if err := got.UnmarshalText(text); !errors.Is(err, want) || !reflect.DeepEqual(got, before) {
		t.Errorf("%s: got %+v and error %v, want one that wraps %q and the receiver unchanged", name, got, err, want)
	}
}

// There is only one text form: base64 that ends in bits which mean nothing, or that has line breaks, is rejected.
func TestAlteredText(t *testing.T) {
	t.Parallel()
	good := base64.RawStdEncoding.AppendEncode(nil, stored(t))
	for n := range good {
		checkRejectedText(t, "cut", good[:n], signature.ErrMalformed)
	}
	for i := 2; i < len(good); i++ { // the two before that are the version
		for _, c := range []byte("Az09+/=-_ \n\x00\xff") {
			data := slices.Clone(good)
			data[i] = c
			if c != good[i] {
				checkRejectedText(t, string(data), data, signature.ErrMalformed)
			}
		}
	}
	for i := range len(good) + 1 {
		checkRejectedText(t, "a line break", slices.Insert(slices.Clone(good), i, '\n'), signature.ErrMalformed)
	}
	for _, text := range []string{"=", "AQ==", "A", "AQ AQ", "{}", "\xff\xff", "AQ-_"} {
		checkRejectedText(t, text, []byte(text), signature.ErrMalformed)
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, blank, stored(f), malformed(f), func(t *testing.T, s neartest.Stored) {
		x := s.(*signature.Signature)
		signature.Rule{}.Match(x, x)
		text, err := x.MarshalText()
		var again signature.Signature
		if err = errors.Join(err, again.UnmarshalText(text)); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "as text", again, *x)
	})
}

func FuzzUnmarshalText(f *testing.F) {
	for _, data := range malformed(f) {
		f.Add(base64.RawStdEncoding.AppendEncode(nil, data))
	}
	f.Add(base64.RawStdEncoding.AppendEncode(nil, stored(f)))
	f.Add([]byte("AQ=="))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s, again signature.Signature
		err := s.UnmarshalText(text)
		if err != nil && (!errors.Is(err, signature.ErrMalformed) && !errors.Is(err, signature.ErrVersion) || !reflect.DeepEqual(s, signature.Signature{})) {
			t.Errorf("error %v, and %+v", err, s)
		}
		if written, _ := s.MarshalText(); err == nil && (again.UnmarshalText(written) != nil || !reflect.DeepEqual(s, again)) {
			t.Errorf("%+v is written as %q", s, written)
		}
	})
}
