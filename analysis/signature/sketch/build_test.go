package sketch_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

var laneCounts = []int{sketch.MinLanes, 64, 100, 101, 127, 200, sketch.MaxLanes}

func random(seed uint64, n int) []uint64 {
	rnd := rand.New(rand.NewPCG(seed, 0))
	all := make([]uint64, n)
	for i := range all {
		all[i] = rnd.Uint64()
	}
	return all
}

// naive is Fast Similarity Sketching as the package comment describes it: 2k rounds, each
// of which throws every element into one lane; a lane keeps the least value of the first
// round that filled it.
func naive(elements []uint64, k int, seed uint64) sketch.Sketch {
	mul := token.Mix(seed, 5) | 1
	lanes := map[uint64]uint64{}
	for round := range uint64(2 * k) {
		filled := map[uint64]uint64{}
		for _, e := range elements {
			thrown := e
			if round > 0 {
				thrown = token.Fold(e^token.Mix(token.Mix(seed, 6), round), mul)
			}
			lane, value := bits.Mul64(thrown, uint64(k))
			if round >= uint64(k) {
				lane, value = round-uint64(k), thrown
			}
			value >>= 11
			if old, ok := filled[lane]; !ok || value < old {
				filled[lane] = value
			}
		}
		for lane, value := range filled {
			if _, ok := lanes[lane]; !ok {
				lanes[lane] = value
			}
		}
	}
	s := make(sketch.Sketch, (k+7)/8)
	for lane, value := range lanes {
		s.Set(int(lane), uint8(value))
	}
	if len(lanes) != k {
		panic("not all lanes are filled")
	}
	return s
}

func TestBuild(t *testing.T) {
	t.Parallel()
	for _, k := range laneCounts {
		builder := sketch.NewBuilder(k, 42)
		for _, n := range []int{1, 2, 3, 10, 100, 700} {
			elements := random(uint64(n), n)
			if got, want := build(builder, elements), naive(elements, k, 42); !slices.Equal(got, want) {
				t.Errorf("%d lanes of %d elements: got %x, want %x", k, n, got, want)
			}
		}
	}
}

// Only the set counts: not the order, nor repetitions, nor how it is split into parts.
func TestBuildSet(t *testing.T) {
	t.Parallel()
	for _, k := range laneCounts {
		builder := sketch.NewBuilder(k, 0)
		for _, n := range []int{1, 7, 300} {
			elements := random(uint64(k+n), n)
			want := build(builder, elements)

			rnd := rand.New(rand.NewPCG(1, uint64(n)))
			mixed := append(slices.Clone(elements), elements[:1+n/2]...)
			rnd.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			builder.Reset()
			for part := range slices.Chunk(mixed, 1+rnd.IntN(len(mixed))) {
				builder.Add(part)
			}
			builder.Finish(mixed)
			if got := builder.Append(nil); !slices.Equal(got, want) {
				t.Errorf("%d lanes of %d elements: got %x, want %x", k, n, got, want)
			}
		}
	}
}

// One element fills all lanes with values that vary.
func TestBuildOne(t *testing.T) {
	t.Parallel()
	for _, k := range laneCounts {
		s := build(sketch.NewBuilder(k, 0), []uint64{1 << 40})
		values := map[uint8]bool{}
		for i := range k {
			values[s.Lane(i)] = true
		}
		if len(values) < min(k/2+5, 200) {
			t.Errorf("%d lanes have only %d different values", k, len(values))
		}
		if unused := 8*len(s) - k; unused > 0 && s[len(s)-1]>>(64-8*unused) != 0 {
			t.Errorf("%d lanes: unused lanes are not 0: %x", k, s[len(s)-1])
		}
	}
}

func TestLane(t *testing.T) {
	t.Parallel()
	for _, k := range laneCounts {
		s := make(sketch.Sketch, sketch.Words(k))
		rnd := rand.New(rand.NewPCG(uint64(k), 1))
		want := make([]uint8, k)
		for _, i := range rnd.Perm(k) {
			want[i] = uint8(rnd.Uint32())
			s.Set(i, want[i])
		}
		for i := range want {
			if s.Lane(i) != want[i] {
				t.Fatalf("%d lanes: lane %d is %x, want %x", k, i, s.Lane(i), want[i])
			}
		}
	}
}

// Lanes are part of the format: these must never change.
func TestGolden(t *testing.T) {
	t.Parallel()
	elements := []uint64{0x0123456789abcdef, 0x3141592653589793, 0x9e3779b97f4a7c15, 0xdeadbeefdeadbeef}
	for _, tt := range []struct {
		seed uint64
		want string
	}{
		{0, "[68aeb7b52f90719b e4747dda9ed7f823]"},
		{42, "[57ba61732f5f169b 6dfd7dbebad4f880]"},
	} {
		if got := fmt.Sprintf("%016x", build(sketch.NewBuilder(16, tt.seed), elements)); got != tt.want {
			t.Errorf("seed %d: got %s, want %s", tt.seed, got, tt.want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	elements := random(1, 420)
	builder := sketch.NewBuilder(100, 0)
	s := make(sketch.Sketch, 0, sketch.Words(100))
	if n := testing.AllocsPerRun(10, func() {
		builder.Reset()
		builder.Add(elements)
		builder.Finish(elements)
		s = builder.Append(s[:0])
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkBuilder(b *testing.B) {
	for _, n := range []int{5, 420, 4220} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			// A different set each time: some lanes are open after round 0 or not, and no branch is learned.
			sets := make([][]uint64, max(64, 20000/n))
			for i := range sets {
				sets[i] = random(uint64(i), n)
			}
			builder := sketch.NewBuilder(100, 0)
			s := make(sketch.Sketch, 0, sketch.Words(100))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				elements := sets[i%len(sets)]
				builder.Reset()
				builder.Add(elements)
				builder.Finish(elements)
				s = builder.Append(s[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/shingle")
		})
	}
}
