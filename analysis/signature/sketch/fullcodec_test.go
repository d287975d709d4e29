package sketch_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/codec"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func blank() neartest.Stored { return new(sketch.Full) }

// stored returns the stored form of some sketch: its head has 6 bytes, and its number of
// lanes has one.
func stored(tb testing.TB) []byte {
	tb.Helper()
	full := buildFull(sketch.NewBuilder(17, 0), random(1, 30))
	data, err := full.MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func badInputs(tb testing.TB) []neartest.Input {
	good := stored(tb)
	head, lanes := good[:6], good[7:7+17*8]
	bad := func(name string, k uint64, lanes []byte) neartest.Input {
		return neartest.Input{Name: name, Data: neartest.Seal(head, neartest.Uvarints(k), lanes), Err: codec.ErrMalformed}
	}
	return append(
		neartest.BadInputs(good),
		bad("no lanes", 0, nil), bad("too few lanes", 15, lanes[:15*8]), bad("too many lanes", 1025, make([]byte, 1025*8)),
		bad("fewer lanes than said", 18, lanes), bad("more lanes than said", 16, lanes), bad("half a lane", 17, lanes[4:]),
	)
}

func TestStored(t *testing.T) {
	if err := neartest.Reject(blank, badInputs(t)); err != nil {
		t.Error(err)
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, k := range laneCounts {
		for _, n := range []int{0, 1, 300} {
			want := buildFull(sketch.NewBuilder(k, 7), random(uint64(n), n))
			data, err := want.AppendBinary([]byte("kept"))
			if err != nil || string(data[:4]) != "kept" {
				t.Fatalf("got %x, %v", data, err)
			}
			got := sketch.Full{Params: 1, Lanes: []uint64{2}}
			if err := got.UnmarshalBinary(data[4:]); err != nil || got.Params != want.Params || !slices.Equal(got.Lanes, want.Lanes) {
				t.Errorf("%d lanes of %d: got %+v, %v", k, n, got, err)
			}
			clear(data)
			if !slices.Equal(got.Lanes, want.Lanes) {
				t.Error("the lanes lie in the input")
			}
		}
	}
}

// Stored bytes never change, unless the version does.
func TestStoredGolden(t *testing.T) {
	t.Parallel()
	full := buildFull(sketch.NewBuilder(100, 42), []uint64{0x0123456789abcdef, 0x3141592653589793})
	data, err := full.MarshalBinary()
	if got, want := hex.EncodeToString(data[:15]), "01a602a0936c648ee3388ee3380e00"; err != nil || len(data) != 811 || got != want {
		t.Errorf("got %s... of %d bytes, %v, want %s", got, len(data), err, want)
	}
	if got := xxhash.Sum64(data); got != 0x843160bdef5a6dea {
		t.Errorf("the rest differs: got the hash %#x", got)
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, blank, stored(f), badInputs(f), func(t *testing.T, read neartest.Stored) {
		full := read.(*sketch.Full)
		full.Pack()
		if err := full.Merge(full); err != nil {
			t.Error(err)
		}
	})
}
