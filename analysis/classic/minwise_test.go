package classic_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
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
	packed := float64(200-sketch.Differ(x.Pack(), y.Pack())) / 200
	if !ok || r.Value != packed {
		t.Errorf("got %v, %v; %v of the packed lanes agree", r, ok, packed)
	}
	if r, ok := classic.MinwiseResemblance(&x, &x); !ok || r.Value != 1 || r.StdErr != 0 {
		t.Errorf("with itself: got %v, %v", r, ok)
	}
	for _, other := range []sketch.Full{
		classic.MinwiseOf(p, nil),
		{},
		classic.MinwiseOf(classic.MinwiseParams{Lanes: 199}, a), classic.MinwiseOf(classic.MinwiseParams{Lanes: 200, Seed: 1}, a),
		sketch.NewBuilder(200, 0).Full(),
	} {
		if r, ok := classic.MinwiseResemblance(&x, &other); ok {
			t.Errorf("with %+v: got %v", other.Params, r)
		}
	}
	if empty := classic.MinwiseOf(p, nil); !empty.Empty() || empty.Pack() != nil {
		t.Error("the sketch of no set is not empty")
	}
}

func TestMinwiseMerge(t *testing.T) {
	t.Parallel()
	a, b := neartest.Sets(rand.New(rand.NewPCG(5, 6)), 20, 30, 500)
	p := classic.MinwiseParams{Lanes: 64}
	for _, pair := range [][2][]uint64{{a, b}, {b, a}, {a, nil}, {nil, a}, {nil, nil}} {
		x, y := classic.MinwiseOf(p, pair[0]), classic.MinwiseOf(p, pair[1])
		if err := x.Merge(&y); err != nil {
			t.Fatal(err)
		}
		if want := classic.MinwiseOf(p, slices.Concat(pair[0], pair[1])); !slices.Equal(x.Lanes, want.Lanes) {
			t.Errorf("got %x, want %x", x.Lanes, want.Lanes)
		}
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
				if err := y.Merge(&both); err != nil {
					t.Fatal(err)
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
