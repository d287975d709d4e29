package sketch_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// full returns a sketch of k random lanes.
func full(rnd *rand.Rand, k int) sketch.Sketch {
	s := make(sketch.Sketch, sketch.Words(k))
	for i := range k {
		s.Set(i, uint8(rnd.Uint32()))
	}
	return s
}

// altered returns s with changes in the lanes of these numbers.
func altered(rnd *rand.Rand, s sketch.Sketch, lanes []int) sketch.Sketch {
	s = slices.Clone(s)
	for _, i := range lanes {
		// One bit is the least difference of a lane, and the top bit is the one that a
		// carry could lose.
		bit := uint64(1) << rnd.IntN(8)
		if rnd.IntN(4) == 0 {
			bit = 1 << 7
		}
		s[i/8] ^= bit << (i % 8 * 8)
	}
	return s
}

func checkCompare(t *testing.T, a, b sketch.Sketch, k, differ int) {
	t.Helper()
	if n := k - neartest.Agree(a, b, k); n != differ {
		t.Fatalf("%d lanes: the naive loop finds %d that differ, want %d", k, n, differ)
	}
	if got := sketch.Differ(a, b); got != differ {
		t.Fatalf("%d lanes: Differ is %d, want %d", k, got, differ)
	}
	for _, limit := range []int{-1, 0, differ - 1, differ, differ + 1, k / 10, k} {
		if got, want := sketch.Within(a, b, limit), differ <= limit; got != want {
			t.Fatalf("%d lanes of which %d differ: Within(%d) is %v, want %v", k, differ, limit, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(21, 22))
	for _, k := range append([]int{17, 31, 32, 33, 36, 37}, laneCounts...) {
		for range 300 {
			a := full(rnd, k)
			lanes := rnd.Perm(k)[:rnd.IntN(k+1)]
			checkCompare(t, a, altered(rnd, a, lanes), k, len(lanes))
		}
		// All differences at the front, all at the end, and on both sides of lane 16.
		for n := range min(k, 40) {
			a := full(rnd, k)
			order := rnd.Perm(k)
			slices.Sort(order)
			checkCompare(t, a, altered(rnd, a, order[:n]), k, n)
			checkCompare(t, a, altered(rnd, a, order[k-n:]), k, n)
			from := max(0, min(16-n/2, k-n))
			checkCompare(t, a, altered(rnd, a, order[from:from+n]), k, n)
		}
		if differ := sketch.Differ(full(rnd, k), full(rnd, k)); differ < k-3-k/64 {
			t.Errorf("unrelated sketches of %d lanes differ in %d only", k, differ)
		}
	}
}

// Lanes with extreme values: every possible borrow and carry.
func TestCompareExtremes(t *testing.T) {
	t.Parallel()
	values := []uint8{0, 1, 0x7f, 0x80, 0x81, 0xff}
	rnd := rand.New(rand.NewPCG(23, 24))
	for range 5000 {
		k := 16 + rnd.IntN(60)
		a, b := make(sketch.Sketch, sketch.Words(k)), make(sketch.Sketch, sketch.Words(k))
		for i := range k {
			a.Set(i, values[rnd.IntN(len(values))])
			b.Set(i, values[rnd.IntN(len(values))])
		}
		checkCompare(t, a, b, k, k-neartest.Agree(a, b, k))
	}
}

func BenchmarkCompare(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random, alike := make([]sketch.Sketch, 512), make([]sketch.Sketch, 512)
	base := full(rnd, 100)
	for i := range random {
		random[i] = full(rnd, 100)
		alike[i] = altered(rnd, base, rnd.Perm(100)[:rnd.IntN(10)])
	}
	for _, bb := range []struct {
		name     string
		sketches []sketch.Sketch
	}{{"random", random}, {"alike", alike}} {
		compare := func(name string, once func(s sketch.Sketch)) {
			b.Run(name+"/"+bb.name, func(b *testing.B) {
				for b.Loop() {
					for _, s := range bb.sketches {
						once(s)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(bb.sketches)), "ns/pair")
			})
		}
		n := 0
		compare("Differ", func(s sketch.Sketch) { n += sketch.Differ(base, s) })
		compare("Within", func(s sketch.Sketch) {
			if sketch.Within(base, s, 10) {
				n++
			}
		})
	}
}
