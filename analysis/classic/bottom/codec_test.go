package bottom_test

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic/bottom"
	"github.com/neardup/bleve-neardup/internal/codec"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func blank() neartest.Stored { return new(bottom.Sketch) }

// stored returns the stored form of some sketch: its head has 6 bytes, and each of its two
// counts has one.
func stored(tb testing.TB) []byte {
	tb.Helper()
	set, _ := neartest.Sets(rand.New(rand.NewPCG(1, 2)), 0, 30, 0)
	s := bottom.Of(bottom.Params{Size: 12}, set)
	data, err := s.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func badInputs(tb testing.TB) []neartest.Input {
	good := stored(tb)
	head, values := good[:6], good[8:8+12*8]
	bad := func(name string, size, n uint64, values ...[]byte) neartest.Input {
		data := neartest.Seal(slices.Concat([][]byte{head, neartest.Uvarints(size, n)}, values)...)
		return neartest.Input{Name: name, Data: data, Err: codec.ErrMalformed}
	}
	return append(
		neartest.BadInputs(good),
		bad("size 0", 0, 0), bad("size 0 with values", 0, 12, values), bad("size 2^16+1", 1<<16+1, 12, values),
		bad("more values than the size", 11, 12, values), bad("fewer values than said", 12, 12, values[8:]),
		bad("more values than said", 12, 11, values), bad("half a value", 12, 12, values[4:]),
		bad("a value twice", 12, 12, values[:8], values[:88]), bad("values not in order", 12, 12, values[8:], values[:8]),
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
	for _, size := range []int{1, 100, bottom.MaxSize} {
		for _, n := range []int{0, 1, 99, 1000} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			want := bottom.Of(bottom.Params{Size: size, Seed: 7}, set)
			data, err := want.AppendBinary([]byte("kept"))
			if err != nil || string(data[:4]) != "kept" {
				t.Fatalf("got %x, %v", data, err)
			}
			got := bottom.Sketch{Params: 1, Size: 2, Values: []uint64{3}}
			if err := got.UnmarshalBinary(data[4:]); err != nil || got.Params != want.Params || got.Size != size || !slices.Equal(got.Values, want.Values) {
				t.Errorf("size %d of %d: got %+v, %v", size, n, got, err)
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
	s := bottom.Of(bottom.Params{Size: 2, Seed: 42}, []uint64{1, 2, 3, 1 << 63})
	data, err := s.MarshalBinary()
	if got, want := hex.EncodeToString(data), "01dd2bf51f620202180c7a271bcf1d008e2944f33c429c2afc422254"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, blank, stored(f), badInputs(f), func(t *testing.T, read neartest.Stored) {
		s := read.(*bottom.Sketch)
		bottom.Resemblance(s, s)
		if err := s.Merge(s); err != nil {
			t.Error(err)
		}
	})
}
