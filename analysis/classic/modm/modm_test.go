package modm_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic/modm"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// naive returns the elements that m divides under the permutation: splitmix64 written out,
// with constant 9 of the seed as the key.
func naive(seed, m uint64, elements []uint64) map[uint64]bool {
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

func TestOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, m := range []uint64{1, 2, 25, 1000, modm.MaxModulus} {
		for _, n := range []int{0, 1, 100, 3000} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			want := slices.Sorted(maps.Keys(naive(42, m, set)))
			for range 2 {
				got := modm.Of(modm.Params{Modulus: m, Seed: 42}, set)
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
func TestEstimates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, tt := range []struct{ m, n, both uint64 }{
		{1, 1, 1}, {4, 4, 4}, {4, 8, 8}, {8, 4, 8}, {1, 25, 25}, {4, 6, 12}, {modm.MaxModulus, modm.MaxModulus, modm.MaxModulus},
	} {
		for range 100 {
			a, b := neartest.Sets(rnd, rnd.IntN(100), rnd.IntN(100), rnd.IntN(100))
			x, y := modm.Of(modm.Params{Modulus: tt.m, Seed: 42}, a), modm.Of(modm.Params{Modulus: tt.n, Seed: 42}, b)
			setA, setB := naive(42, tt.both, a), naive(42, tt.both, b)
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
			r, ok := modm.Resemblance(&x, &y)
			check("resemblance", r, ok, len(setA)+len(setB)-common)
			c, ok := modm.Containment(&x, &y)
			check("a in b", c, ok, len(setA))
			c, ok = modm.Containment(&y, &x)
			check("b in a", c, ok, len(setB))

			want := slices.Sorted(maps.Keys(naive(42, tt.both, slices.Concat(a, b))))
			if err := x.Merge(&y); err != nil || x.Modulus != tt.both || !slices.Equal(x.Values, want) {
				t.Fatalf("m = %d and %d: merged %x by %d, %v, want %x", tt.m, tt.n, x.Values, x.Modulus, err, want)
			}
		}
	}
}

func TestDifferentParams(t *testing.T) {
	t.Parallel()
	a := modm.Of(modm.Params{Modulus: 1}, []uint64{1, 2, 3})
	for _, b := range []modm.Sketch{{}, {Params: a.Params}, modm.Of(modm.Params{Modulus: 1, Seed: 1}, []uint64{1, 2, 3})} {
		if r, ok := modm.Resemblance(&a, &b); ok {
			t.Errorf("%+v: got %v", b, r)
		}
		if c, ok := modm.Containment(&a, &b); ok {
			t.Errorf("%+v: got %v", b, c)
		}
		if err := a.Merge(&b); err == nil || !strings.Contains(err.Error(), "modm: merge: wanted parameters ") {
			t.Errorf("%+v: got %v", b, err)
		}
	}
	large := modm.Of(modm.Params{Modulus: modm.MaxModulus}, nil)
	odd := modm.Of(modm.Params{Modulus: 3}, []uint64{1, 2, 3})
	if err := odd.Merge(&large); err == nil || !strings.Contains(err.Error(), "modm: merge: wanted moduli with a common multiple up to 4294967296, got 3 and 4294967296") {
		t.Errorf("got %v", err)
	}
	if r, ok := modm.Resemblance(&odd, &large); ok {
		t.Errorf("got %v of an empty sample", r)
	}
	if _, ok := modm.Resemblance(new(modm.Sketch), new(modm.Sketch)); ok || len(a.Values) != 3 {
		t.Error("zero sketches have a resemblance, or a merge that failed changed the sketch")
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, m := range []uint64{0, modm.MaxModulus + 1} {
		p, want := modm.Params{Modulus: m}, fmt.Sprintf("modm: modulus: wanted 1 to 4294967296, got %d", m)
		if err := p.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("got the panic %s, want %s", got, want)
				}
			}()
			modm.Of(p, nil)
		}()
	}
}

func TestModulus(t *testing.T) {
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
		{1<<64 - 1, 1, modm.MaxModulus},
		{5, 0, modm.MaxModulus},
	} {
		if got := modm.Modulus(tt.shingles, tt.most); got != tt.want {
			t.Errorf("%d shingles, at most %d: got %d, want %d", tt.shingles, tt.most, got, tt.want)
		}
	}
}

// The means of the estimates are the resemblance and the containment, and their variances
// the stated ones, with two moduli as for documents of different size.
func TestAccuracy(t *testing.T) {
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
				x, y := modm.Of(modm.Params{Modulus: tt.m, Seed: uint64(i)}, a), modm.Of(modm.Params{Modulus: tt.n, Seed: uint64(i)}, b)
				for _, c := range []struct {
					trials   *neartest.Trials
					estimate func(a, b *modm.Sketch) (sketch.Estimate, bool)
					a, b     *modm.Sketch
				}{{&r, modm.Resemblance, &x, &y}, {&aInB, modm.Containment, &x, &y}, {&bInA, modm.Containment, &y, &x}} {
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

func BenchmarkOf(b *testing.B) {
	for _, n := range []int{420, 4220} {
		set, _ := neartest.Sets(rand.New(rand.NewPCG(7, 8)), 0, n, 0)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				modm.Of(modm.Params{Modulus: 25}, set)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/shingle")
		})
	}
}
