package modm_test

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic/modm"
	"github.com/neardup/bleve-neardup/internal/codec"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func blank() neartest.Stored { return new(modm.Sketch) }

// stored returns the stored form of some sketch with two values or more: its head has 6
// bytes, and each of its two counts has one.
func stored(tb testing.TB) []byte {
	tb.Helper()
	set, _ := neartest.Sets(rand.New(rand.NewPCG(1, 2)), 0, 100, 0)
	s := modm.Of(modm.Params{Modulus: 25}, set)
	data, err := s.MarshalBinary()
	if err != nil || len(s.Values) < 2 {
		tb.Fatalf("got %+v, %v", s, err)
	}
	return data
}

func badInputs(tb testing.TB) []neartest.Input {
	good := stored(tb)
	head, values := good[:6], good[8:len(good)-4]
	n := uint64(len(values) / 8)
	bad := func(name string, modulus, n uint64, values ...[]byte) neartest.Input {
		data := neartest.Seal(slices.Concat([][]byte{head, neartest.Uvarints(modulus, n)}, values)...)
		return neartest.Input{Name: name, Data: data, Err: codec.ErrMalformed}
	}
	return append(
		neartest.BadInputs(good),
		bad("modulus 0", 0, 0), bad("modulus 0 with values", 0, n, values), bad("modulus 2^32+1", modm.MaxModulus+1, 0),
		bad("another modulus", 26, n, values), bad("fewer values than said", 25, n, values[8:]),
		bad("more values than said", 25, n-1, values), bad("half a value", 25, n, values[4:]),
		bad("a value twice", 25, n, values[:8], values[:len(values)-8]), bad("values not in order", 25, n, values[8:], values[:8]),
	)
}

func TestStored(t *testing.T) {
	if err := neartest.Reject(blank, badInputs(t)); err != nil {
		t.Error(err)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, m := range []uint64{1, 25, modm.MaxModulus} {
		for _, n := range []int{0, 1, 99, 1000} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			want := modm.Of(modm.Params{Modulus: m, Seed: 7}, set)
			data, err := want.AppendBinary([]byte("kept"))
			if err != nil || string(data[:4]) != "kept" {
				t.Fatalf("got %x, %v", data, err)
			}
			got := modm.Sketch{Params: 1, Modulus: 2, Values: []uint64{4}}
			if err := got.UnmarshalBinary(data[4:]); err != nil || got.Params != want.Params || got.Modulus != m || !slices.Equal(got.Values, want.Values) {
				t.Errorf("m = %d, %d elements: got %+v, %v", m, n, got, err)
			}
			clear(data)
			if !slices.Equal(got.Values, want.Values) {
				t.Error("the values lie in the input")
			}
		}
	}
}

// Stored bytes never change, unless the version does.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := modm.Of(modm.Params{Modulus: 2, Seed: 42}, []uint64{1, 2, 3, 1 << 63})
	data, err := s.MarshalBinary()
	if got, want := hex.EncodeToString(data), "01a37e9cd66d02016648dc21e292420cc4ad8e21"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, blank, stored(f), badInputs(f), func(t *testing.T, read neartest.Stored) {
		s := read.(*modm.Sketch)
		modm.Resemblance(s, s)
		modm.Containment(s, s)
		if err := s.Merge(s); err != nil {
			t.Error(err)
		}
	})
}
