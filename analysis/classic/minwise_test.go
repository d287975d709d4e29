package classic_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// minwisePermuted returns x under the permutation of a lane, as in the comment of MinwiseParams, with
// splitmix64 written out.
func minwisePermuted(seed, lane, x uint64) uint64 {
	splitmix := func(state, i uint64) uint64 {
		z := state + i*0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
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

func TestMinwiseValidate(t *testing.T) {
	t.Parallel()
	for _, k := range []int{-1, 0, 15, 1025} {
		p := classic.MinwiseParams{Lanes: k}
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "minwise: lanes: wanted 16 to 1024, got ") {
			t.Errorf("%d lanes: got %v", k, err)
		}
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || err.Error() != p.Validate().Error() {
					t.Errorf("%d lanes: got the panic %v", k, errors.Unwrap(err))
				}
			}()
			classic.MinwiseOf(p, nil)
		}()
	}
}

// The mean of the estimates is the resemblance, and their variance the stated one.
func TestMinwiseAccuracy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ size, lanes, pairs int }{
		{20, 100, 20_000}, {60, 64, 20_000}, {200, 16, 20_000}, {2000, 16, 500},
	} {
		tt.pairs = neartest.Rounds(tt.pairs)
		for _, want := range []float64{.5, .8, .9, .95} {
			common, only := neartest.Shares(tt.size, want)
			trials := neartest.Trials{Truth: float64(common) / float64(common+2*only)}
			rnd := rand.New(rand.NewPCG(uint64(tt.size), uint64(only)))
			for i := range tt.pairs {
				a, b := neartest.Sets(rnd, common, only, only)
				// The sketch of what two sets have in common is merged with the sketch of
				// what only one has: half the work of two sketches.
				p := classic.MinwiseParams{Lanes: tt.lanes, Seed: uint64(i)}
				x, y := classic.MinwiseOf(p, a), classic.MinwiseOf(p, b[common:])
				both := classic.MinwiseOf(p, a[:common])
				for i, v := range both.Lanes {
					y.Lanes[i] = min(y.Lanes[i], v)
				}
				r, ok := classic.MinwiseResemblance(&x, &y)
				if !ok {
					t.Fatal("no estimate")
				}
				trials.Add(r)
			}
			if err := trials.Err(0, 0); err != nil {
				t.Errorf("sets of %d, %d lanes: %v", tt.size, tt.lanes, err)
			}
			t.Logf("sets of %d, %d lanes: %v", tt.size, tt.lanes, &trials)
		}
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
