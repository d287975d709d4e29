package classic_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// minwisePermuted returns x under the permutation of a lane, as in the comment of MinwiseParams.
func minwisePermuted(seed, lane, x uint64) uint64 {
	return splitmix(splitmix(splitmix(seed, 10), lane), x)
}

func TestMinwiseOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{16, 100, 101, 1024} {
		for _, n := range []int{1, 2, 50} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			got := classic.MinwiseOf(classic.MinwiseParams{Lanes: k, Seed: 42}, append(slices.Clone(set), set...))
			if len(got.Lanes) != k {
				t.Fatalf("got %d lanes, want %d", len(got.Lanes), k)
			}
			for i, v := range got.Lanes {
				slices.SortFunc(set, func(a, b uint64) int {
					if minwisePermuted(42, uint64(i), a) < minwisePermuted(42, uint64(i), b) {
						return -1
					}
					return 1
				})
				if want := minwisePermuted(42, uint64(i), set[0]); v != want {
					t.Fatalf("lane %d of %d, %d elements: got %x, want %x", i, k, n, v, want)
				}
			}
		}
	}
}

func TestMinwiseResemblance(t *testing.T) {
	t.Parallel()
	a, b := neartest.Sets(rand.New(rand.NewPCG(3, 4)), 90, 10, 10)
	p := classic.MinwiseParams{Lanes: 200}
	x, y := classic.MinwiseOf(p, a), classic.MinwiseOf(p, b)
	r, ok := classic.MinwiseResemblance(&x, &y)
	agree := 0.
	for i, lane := range x.Lanes {
		if lane == y.Lanes[i] {
			agree++
		}
	}
	if !ok || r.Value != agree/200 {
		t.Errorf("got %v, %v; %v lanes agree", r, ok, agree)
	}
	if r, ok := classic.MinwiseResemblance(&x, &x); !ok || r.Value != 1 || r.StdErr != 0 {
		t.Errorf("with itself: got %v, %v", r, ok)
	}
	for _, other := range []classic.Minwise{
		classic.MinwiseOf(p, nil),
		{},
		classic.MinwiseOf(classic.MinwiseParams{Lanes: 199}, a), classic.MinwiseOf(classic.MinwiseParams{Lanes: 200, Seed: 1}, a),
	} {
		if r, ok := classic.MinwiseResemblance(&x, &other); ok {
			t.Errorf("with %+v: got %v", other.Params, r)
		}
	}
	if none := classic.MinwiseOf(p, nil); len(none.Lanes) != 200 || none.Lanes[0] != math.MaxUint64 {
		t.Errorf("of no set: got %x", none.Lanes)
	}
}

func BenchmarkMinwiseOf(b *testing.B) {
	set, _ := neartest.Sets(rand.New(rand.NewPCG(7, 8)), 0, 420, 0)
	b.ReportAllocs()
	for b.Loop() {
		classic.MinwiseOf(classic.MinwiseParams{Lanes: 100}, set)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/420, "ns/shingle")
}
