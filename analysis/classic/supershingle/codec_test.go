package supershingle_test

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic/supershingle"
	"github.com/neardup/bleve-neardup/internal/codec"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func blank() neartest.Stored { return new(supershingle.Sketch) }

// stored returns the stored form of some sketch: its head has 6 bytes, and its number of
// features has one.
func stored(tb testing.TB) []byte {
	tb.Helper()
	s := supershingle.Of(supershingle.DefaultPlan(), random(rand.New(rand.NewPCG(1, 2)), 100), 7)
	data, err := s.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func badInputs(tb testing.TB) []neartest.Input {
	good := stored(tb)
	head, features := good[:6], good[7:7+6*8]
	bad := func(name string, n uint64, features []byte) neartest.Input {
		return neartest.Input{Name: name, Data: neartest.Seal(head, neartest.Uvarints(n), features), Err: codec.ErrMalformed}
	}
	return append(
		neartest.BadInputs(good),
		bad("no features but bytes", 0, features), bad("too many features", 65, make([]byte, 65*8)),
		bad("fewer features than said", 7, features), bad("more features than said", 5, features), bad("half a feature", 6, features[4:]),
	)
}

func TestStored(t *testing.T) {
	if err := neartest.Reject(blank, badInputs(t)); err != nil {
		t.Error(err)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, groups := range []int{0, 1, 6, 64} {
		p, k := supershingle.Plan{Groups: max(1, groups), Width: 2, Need: 1}, 2*groups
		want := supershingle.Of(p, random(rnd, k), 7)
		data, err := want.AppendBinary([]byte("kept"))
		if err != nil || string(data[:4]) != "kept" {
			t.Fatalf("got %x, %v", data, err)
		}
		got := supershingle.Sketch{Params: 1, Features: []uint64{2}}
		if err := got.UnmarshalBinary(data[4:]); err != nil || got.Params != want.Params || !slices.Equal(got.Features, want.Features) || len(got.Features) != groups {
			t.Errorf("%d groups: got %+v, %v", groups, got, err)
		}
		clear(data)
		if !slices.Equal(got.Features, want.Features) {
			t.Error("the features lie in the input")
		}
	}
}

// Stored bytes never change, unless the version does.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := supershingle.Of(supershingle.Plan{Groups: 2, Width: 8, Need: 1}, []uint64{1, 2, 3, 1 << 63}, 7)
	data, err := s.MarshalBinary()
	if got, want := hex.EncodeToString(data), "01e8212f467302acd4f33eec0f184b949b7097490ae47033db6c78"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, blank, stored(f), badInputs(f), func(t *testing.T, read neartest.Stored) {
		if s := read.(*supershingle.Sketch); supershingle.Agree(s, s) != len(s.Features) {
			t.Error("a sketch does not agree with itself")
		}
	})
}
