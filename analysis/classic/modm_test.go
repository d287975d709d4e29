package classic_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// modmNaive returns the elements that m divides under the permutation: splitmix64 written out,
// with constant 9 of the seed as the key.
func modmNaive(seed, m uint64, elements []uint64) map[uint64]bool {
	splitmix := func(state, i uint64) uint64 {
		z := state + i*0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	set := map[uint64]bool{}
	for _, x := range elements {
		if v := splitmix(splitmix(seed, 9), x); v%m == 0 {
			set[v] = true
		}
	}
	return set
}

func TestModmOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, m := range []uint64{1, 2, 25, 1000, classic.MaxModulus} {
		for _, n := range []int{0, 1, 100, 3000} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			want := slices.Sorted(maps.Keys(modmNaive(42, m, set)))
			for range 2 {
				got := classic.ModmOf(classic.ModmParams{Modulus: m, Seed: 42}, set)
				if !slices.Equal(got.Values, want) || got.Modulus != m {
					t.Fatalf("m = %d, %d elements: got %x, want %x", m, n, got.Values, want)
				}
				// Neither order nor repetitions matter.
				set = append(set, set[:n/2]...)
				rnd.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
			}
		}
	}
}

// Resemblance and containment are compared with the definitions over whole sets, also with
// different moduli.
func TestModmEstimates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, tt := range []struct{ m, n, both uint64 }{
		{1, 1, 1}, {4, 4, 4}, {4, 8, 8}, {8, 4, 8}, {1, 25, 25}, {4, 6, 12}, {classic.MaxModulus, classic.MaxModulus, classic.MaxModulus},
	} {
		for range 100 {
			a, b := neartest.Sets(rnd, rnd.IntN(100), rnd.IntN(100), rnd.IntN(100))
			x, y := classic.ModmOf(classic.ModmParams{Modulus: tt.m, Seed: 42}, a), classic.ModmOf(classic.ModmParams{Modulus: tt.n, Seed: 42}, b)
			setA, setB := modmNaive(42, tt.both, a), modmNaive(42, tt.both, b)
			common := 0
			for v := range setA {
				if setB[v] {
					common++
				}
			}
			check := func(what string, got sketch.Estimate, ok bool, n int) {
				t.Helper()
				if ok != (n > 0) || ok && got != sketch.Sampled(common, n, float64(n)/(float64(tt.both)*float64(n+1)-1)) {
					t.Fatalf("m = %d and %d, sets of %d and %d: %s: got %v, %v, want %d of %d",
						tt.m, tt.n, len(a), len(b), what, got, ok, common, n)
				}
			}
			r, ok := classic.ModmResemblance(&x, &y)
			check("resemblance", r, ok, len(setA)+len(setB)-common)
			c, ok := classic.ModmContainment(&x, &y)
			check("a in b", c, ok, len(setA))
			c, ok = classic.ModmContainment(&y, &x)
			check("b in a", c, ok, len(setB))
		}
	}
}

func TestModmDifferentParams(t *testing.T) {
	t.Parallel()
	a := classic.ModmOf(classic.ModmParams{Modulus: 1}, []uint64{1, 2, 3})
	for _, b := range []classic.Modm{{}, {Params: a.Params}, classic.ModmOf(classic.ModmParams{Modulus: 1, Seed: 1}, []uint64{1, 2, 3})} {
		if r, ok := classic.ModmResemblance(&a, &b); ok {
			t.Errorf("%+v: got %v", b, r)
		}
		if c, ok := classic.ModmContainment(&a, &b); ok {
			t.Errorf("%+v: got %v", b, c)
		}
	}
	large := classic.ModmOf(classic.ModmParams{Modulus: classic.MaxModulus}, nil)
	odd := classic.ModmOf(classic.ModmParams{Modulus: 3}, []uint64{1, 2, 3})
	if r, ok := classic.ModmResemblance(&odd, &large); ok {
		t.Errorf("got %v of an empty sample", r)
	}
	if _, ok := classic.ModmResemblance(new(classic.Modm), new(classic.Modm)); ok || len(a.Values) != 3 {
		t.Error("zero sketches have a resemblance, or a merge that failed changed the sketch")
	}
}

func TestModmValidate(t *testing.T) {
	t.Parallel()
	for _, m := range []uint64{0, classic.MaxModulus + 1} {
		p, want := classic.ModmParams{Modulus: m}, fmt.Sprintf("modm: modulus: wanted 1 to 4294967296, got %d", m)
		if err := p.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("got the panic %s, want %s", got, want)
				}
			}()
			classic.ModmOf(p, nil)
		}()
	}
}

func TestModmModulus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ shingles, most, want uint64 }{
		{0, 100, 1},
		{100, 100, 1},
		{101, 100, 2},
		{200, 100, 2},
		{201, 100, 4},
		{400, 100, 4},
		{401, 100, 8},
		{1 << 20, 1 << 10, 1 << 10},
		{1<<64 - 1, 1, classic.MaxModulus},
		{5, 0, classic.MaxModulus},
	} {
		if got := classic.ModmModulus(tt.shingles, tt.most); got != tt.want {
			t.Errorf("%d shingles, at most %d: got %d, want %d", tt.shingles, tt.most, got, tt.want)
		}
	}
}

// The means of the estimates are the resemblance and the containment, and their variances
// the stated ones, with two moduli as for documents of different size.
func TestModmAccuracy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		size, larger int // elements that a or b has, elements that only b has
		m, n         uint64
		pairs        int
	}{
		{20, 0, 2, 2, 20_000}, {200, 0, 4, 4, 20_000}, {200, 200, 4, 8, 20_000}, {2000, 0, 25, 25, 2_000},
	} {
		tt.pairs = neartest.Rounds(tt.pairs)
		for _, want := range []float64{.5, .8, .9, .95} {
			common, only := neartest.Shares(tt.size, want)
			onlyB := only + tt.larger
			r := neartest.Trials{Truth: float64(common) / float64(common+only+onlyB)}
			aInB := neartest.Trials{Truth: float64(common) / float64(common+only)}
			bInA := neartest.Trials{Truth: float64(common) / float64(common+onlyB)}
			rnd := rand.New(rand.NewPCG(uint64(tt.size), uint64(only)))
			for i := range tt.pairs {
				a, b := neartest.Sets(rnd, common, only, onlyB)
				x, y := classic.ModmOf(classic.ModmParams{Modulus: tt.m, Seed: uint64(i)}, a), classic.ModmOf(classic.ModmParams{Modulus: tt.n, Seed: uint64(i)}, b)
				for _, c := range []struct {
					trials   *neartest.Trials
					estimate func(a, b *classic.Modm) (sketch.Estimate, bool)
					a, b     *classic.Modm
				}{{&r, classic.ModmResemblance, &x, &y}, {&aInB, classic.ModmContainment, &x, &y}, {&bInA, classic.ModmContainment, &y, &x}} {
					if e, ok := c.estimate(c.a, c.b); ok {
						c.trials.Add(e)
					}
				}
			}
			for _, trials := range []*neartest.Trials{&r, &aInB, &bInA} {
				if err := trials.Err(0, 0); err != nil {
					t.Errorf("%+v: %v", tt, err)
				}
				t.Logf("%+v: %v", tt, trials)
			}
		}
	}
}

func BenchmarkModmOf(b *testing.B) {
	for _, n := range []int{420, 4220} {
		set, _ := neartest.Sets(rand.New(rand.NewPCG(7, 8)), 0, n, 0)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				classic.ModmOf(classic.ModmParams{Modulus: 25}, set)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/shingle")
		})
	}
}
