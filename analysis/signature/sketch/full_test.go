package sketch_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func buildFull(b *sketch.Builder, elements []uint64) sketch.Full {
	b.Reset()
	b.Add(elements)
	if len(elements) > 0 {
		b.Finish(elements)
	}
	return b.Full()
}

// naiveFull returns the least pair of round and value, over all 2k rounds and all elements,
// which is what the comment of Full says of a lane.
func naiveFull(elements []uint64, k int, seed uint64) []uint64 {
	mul := token.Mix(seed, 5) | 1
	lanes := slices.Repeat([]uint64{^uint64(0)}, k)
	for round := range uint64(2 * k) {
		for _, e := range elements {
			thrown := e
			if round > 0 {
				thrown = token.Fold(e^token.Mix(token.Mix(seed, 6), round), mul)
			}
			lane, value := bits.Mul64(thrown, uint64(k))
			if round >= uint64(k) {
				lane, value = round-uint64(k), thrown
			}
			lanes[lane] = min(lanes[lane], round<<53|value>>11)
		}
	}
	return lanes
}

func TestFull(t *testing.T) {
	t.Parallel()
	for _, k := range laneCounts {
		builder := sketch.NewBuilder(k, 42)
		for _, n := range []int{1, 2, 10, 200, 3000} {
			if k*n > 300_000 {
				continue
			}
			elements := random(uint64(n), n)
			full := buildFull(builder, elements)
			if want := naiveFull(elements, k, 42); !slices.Equal(full.Lanes, want) {
				t.Errorf("%d lanes of %d elements: got %x, want %x", k, n, full.Lanes, want)
			}
			if got, want := full.Pack(), build(builder, elements); !slices.Equal(got, want) {
				t.Errorf("%d lanes of %d elements: packed %x, want %x", k, n, got, want)
			}
		}
	}
}

// The sketches of two sets give the sketch of their union, whatever rounds each of the
// three took.
func TestMerge(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(31, 32))
	for _, k := range laneCounts {
		builder := sketch.NewBuilder(k, 42)
		for _, n := range [][3]int{
			{0, 1, 0}, {1, 0, 0}, {0, 1, 1}, {0, 2, 3}, {5, 5, 5}, {0, 1, 1000}, {30, 60, 90}, {100, 0, 50}, {500, 500, 5},
		} {
			a, b := neartest.Sets(rnd, n[0], n[1], n[2])
			for _, pair := range [][2][]uint64{{a, b}, {b, a}, {a, a}, {a, nil}, {nil, b}} {
				x, y := buildFull(builder, pair[0]), buildFull(builder, pair[1])
				if err := x.Merge(&y); err != nil {
					t.Fatal(err)
				}
				union := slices.Concat(pair[0], pair[1])
				if want := buildFull(builder, union); !slices.Equal(x.Lanes, want.Lanes) {
					t.Fatalf("%d lanes, sets of %d and %d: got %x, want %x", k, len(pair[0]), len(pair[1]), x.Lanes, want.Lanes)
				}
				if len(union) > 0 && !slices.Equal(x.Pack(), build(builder, union)) {
					t.Fatalf("%d lanes, sets of %d and %d: packed, the union's sketch is another", k, len(pair[0]), len(pair[1]))
				}
			}
		}
	}
}

func TestMergeErrors(t *testing.T) {
	t.Parallel()
	elements := random(1, 50)
	a := buildFull(sketch.NewBuilder(100, 0), elements)
	before := slices.Clone(a.Lanes)
	for _, b := range []sketch.Full{
		{},
		{Params: a.Params, Lanes: make([]uint64, 99)},
		buildFull(sketch.NewBuilder(101, 0), elements), buildFull(sketch.NewBuilder(100, 1), elements),
	} {
		if err := a.Merge(&b); err == nil || !strings.Contains(err.Error(), "sketch: merge: wanted 100 lanes with parameters ") {
			t.Errorf("%d lanes with %08x: got %v", len(b.Lanes), b.Params, err)
		}
	}
	if !slices.Equal(a.Lanes, before) {
		t.Error("a merge that failed changed the sketch")
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	builder := sketch.NewBuilder(100, 0)
	none := builder.Full()
	one := buildFull(builder, []uint64{^uint64(0)})
	if !none.Empty() || none.Pack() != nil || one.Empty() || len(one.Pack()) != 25 || !new(sketch.Full).Empty() {
		t.Errorf("got %v, %v, %v, %v", none.Empty(), none.Pack(), one.Empty(), one.Pack())
	}
}

func BenchmarkMerge(b *testing.B) {
	builder := sketch.NewBuilder(100, 0)
	x, y := buildFull(builder, random(1, 420)), buildFull(builder, random(2, 420))
	for b.Loop() {
		if err := x.Merge(&y); err != nil {
			b.Fatal(err)
		}
	}
}
