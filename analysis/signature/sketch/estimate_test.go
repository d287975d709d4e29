package sketch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// The mean of the estimates is the resemblance, and their variance the stated one:
// half the binomial for small sets, all of it for large ones.
func TestResemblance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ size, k, pairs int }{
		{3, 100, 5_000},
		{20, 16, 20_000},
		{20, 100, 20_000},
		{60, 200, 20_000},
		{200, 100, 10_000},
		{2000, 100, 2_000},
	} {
		tt.pairs = neartest.Rounds(tt.pairs)
		builder := sketch.NewBuilder(tt.k, 0)
		for _, want := range []float64{.5, .8, .9, .95} {
			common, only := neartest.Shares(tt.size, want)
			trials := neartest.Trials{Truth: float64(common) / float64(common+2*only)}
			rnd := rand.New(rand.NewPCG(uint64(tt.size), uint64(only)))
			for range tt.pairs {
				a, b := neartest.Sets(rnd, common, only, only)
				trials.Add(sketch.Resemblance(build(builder, a), build(builder, b), tt.k, uint64(len(a)), uint64(len(b))))
			}
			if err := trials.Err(0, 0); err != nil {
				t.Errorf("sets of %d, %d lanes: %v", tt.size, tt.k, err)
			}
			t.Logf("sets of %d, %d lanes: %v", tt.size, tt.k, &trials)
		}
	}
}

// The extremes: unknown sizes, impossible values, and sets of one element.
func TestResemblanceExtremes(t *testing.T) {
	t.Parallel()
	const k = 100
	rnd := rand.New(rand.NewPCG(41, 42))
	a := full(rnd, k)
	for _, lanes := range []int{0, 1, 50, 99, 100} {
		b := altered(rnd, a, rnd.Perm(k)[:lanes])
		r := max(0, (1-float64(lanes)/k-byChance)/(1-byChance))
		p := r + (1-r)*byChance // with which independent lanes agree
		independent := sketch.Estimate{Value: r, StdErr: math.Sqrt(p*(1-p)/(k-1)) / (1 - byChance)}
		if got := sketch.Resemblance(a, b, k, 0, 0); math.Abs(got.StdErr-independent.StdErr) > 1e-9 || math.Abs(got.Value-r) > 1e-9 {
			t.Errorf("%d lanes differ, sizes not known: got %v, want %v", lanes, got, independent)
		}
		for _, size := range []uint64{1, 2, 3, 100, 1e6, 1 << 63, 1<<64 - 1} {
			for _, other := range []uint64{1, size} {
				got := sketch.Resemblance(a, b, k, size, other)
				if math.Abs(got.Value-r) > 1e-9 || !(got.StdErr >= 0 && got.StdErr <= independent.StdErr+1e-12) {
					t.Errorf("%d lanes differ, sets of %d and %d: got %v, want at most %v", lanes, size, other, got, independent)
				}
			}
		}
	}
	b := altered(rnd, a, rnd.Perm(k)[:50])
	if got, want := sketch.Resemblance(a, b, k, 1e9, 1e9), sketch.Resemblance(a, b, k, 0, 0); math.Abs(got.StdErr/want.StdErr-1) > 1e-6 {
		t.Errorf("large sets: got %v, want %v", got, want)
	}
}

// The variance of Fast Similarity Sketching with 100 lanes as a multiple of the
// binomial, measured by others over 20,000 to 100,000 pairs; half the lanes agree.
func TestVariance(t *testing.T) {
	t.Parallel()
	const k = 100
	rnd := rand.New(rand.NewPCG(43, 44))
	a := full(rnd, k)
	b := altered(rnd, a, rnd.Perm(k)[:k/2])
	for union, want := range map[uint64]float64{20: .50, 60: .51, 200: .62, 1000: .90, 10_000: .99} {
		size := union * 3 / 4 // 2·size = 1.5·union
		e, independent := sketch.Resemblance(a, b, k, size, size), sketch.Resemblance(a, b, k, 0, 0)
		got := e.StdErr * e.StdErr / (independent.StdErr * independent.StdErr)
		if math.Abs(got-want) > .01 {
			t.Errorf("union of %d: got %.3f, want %.2f", union, got, want)
		}
	}
}
