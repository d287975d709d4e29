package winnow_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func blank() neartest.Stored { return new(winnow.Prints) }

const most = 1<<winnow.Bits - 1

func stored(tb testing.TB) []byte {
	tb.Helper()
	data, err := winnow.Of(0x12345678, []uint64{9, 5, 300, most}).MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func malformed(tb testing.TB) map[string][]byte {
	contents := map[string][]byte{}
	for name, numbers := range map[string][]uint64{
		"a value twice": {2, 5, 0}, "more values than said": {1, 5, 4}, "fewer values than said": {3, 5, 4},
		"too many": {1 << 60, 5, 4}, "41 bits": {1, 1 << 40}, "41 bits in sum": {2, 1 << 39, 1 << 39}, "after the last": {2, most, 1},
		"around": {2, 5, 1<<64 - 1},
	} {
		contents[name] = neartest.Uvarints(numbers...)
	}
	for _, n := range []uint64{1 << 17, 1 << 31, 1 << 32, 1<<60 + 1, 1 << 61, 1 << 63, 1<<64 - 1} {
		contents[fmt.Sprintf("a length of %d", n)] = neartest.Uvarints(n, 5, 4)
	}
	contents["a varint without end"] = bytes.Repeat([]byte{0xff}, 11)
	return neartest.Malformed(stored(tb), contents)
}

func TestMalformed(t *testing.T) { neartest.Reject(t, blank, stored(t), malformed(t)) }

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, n := range []int{0, 1, 17, 3000} {
		selected := texts(rnd, n)["random"]
		want := winnow.Of(7, append(selected, selected...))
		values := map[uint64]bool{}
		for _, f := range selected {
			values[f%(1<<40)] = true
		}
		if len(want.Values) != len(values) || !slices.IsSorted(want.Values) {
			t.Fatalf("got %d values of %d fingerprints", len(want.Values), n)
		}
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatalf("got %x, %v", data, err)
		}
		got := winnow.Prints{Params: 1, Values: []uint64{4}}
		if err := got.UnmarshalBinary(data); err != nil || got.Params != 7 || !slices.Equal(got.Values, want.Values) {
			t.Errorf("%d values: got %+v, %v", n, got, err)
		}
		for v := range values {
			if !got.Has(v) || values[v+1] != got.Has(v+1) {
				t.Errorf("Has says of a value what is not so")
			}
		}
	}
}

// The values are those of a map, ascending, however many there are and wherever they lie.
func TestOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(25, 26))
	for round := range 200 {
		for name, prints := range texts(rnd, rnd.IntN(1<<(round%13))) {
			shift := rnd.IntN(40)
			values := map[uint64]bool{}
			for i := range prints {
				prints[i] <<= shift
				values[prints[i]%(1<<40)] = true
			}
			want := slices.Sorted(maps.Keys(values))
			if got := winnow.Of(7, prints).Values; !slices.Equal(got, want) {
				t.Fatalf("%d %s, shifted by %d: got %x, want %x", len(prints), name, shift, got, want)
			}
		}
	}
}

// Stored bytes never change, unless the version does.
func TestGolden(t *testing.T) {
	t.Parallel()
	if got, want := hex.EncodeToString(stored(t)), "017856341277040504a302d3fdffffff1f7f1e6512"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A document of 400 words has about 17 values for passages of 50 words: what is stored of it.
func TestSize(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(23, 24))
	worst := 0
	for range 200 {
		selected := winnow.New(winnow.Window(50, 4)).Append(nil, texts(rnd, 397)["random"])
		data, _ := winnow.Of(1, selected).MarshalBinary()
		worst = max(worst, len(data))
	}
	if worst > 190 || worst < 100 {
		t.Errorf("got up to %d bytes, wanted up to 190", worst)
	}
}

func TestContainment(t *testing.T) {
	t.Parallel()
	a, b := winnow.Of(1, []uint64{1, 2, 3, 4}), winnow.Of(1, []uint64{2, 3, 4, 5, 6, 7})
	aInB, bInA, ok := winnow.Containment(a, b)
	if !ok || aInB != sketch.Sampled(3, 4, 0) || bInA != sketch.Sampled(3, 6, 0) {
		t.Errorf("got %v, %v, %v", aInB, bInA, ok)
	}
	if all, _, ok := winnow.Containment(a, a); !ok || all.Value != 1 || all.StdErr != sketch.Unanimous(4) {
		t.Errorf("got %v, %v", all, ok)
	}
	for _, other := range []winnow.Prints{winnow.Of(2, []uint64{1}), {Params: 1}} {
		if _, _, ok := winnow.Containment(a, other); ok {
			t.Errorf("%+v: there is nothing to compare", other)
		}
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, blank, stored(f), malformed(f), func(t *testing.T, read neartest.Stored) {
		p := read.(*winnow.Prints)
		if !slices.IsSorted(p.Values) || len(p.Values) > 0 && p.Values[len(p.Values)-1] > most {
			t.Errorf("got %v", p.Values)
		}
		winnow.Containment(*p, *p)
	})
}
