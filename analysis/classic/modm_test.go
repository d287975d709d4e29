package classic_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// modmNaive returns the elements that m divides under the permutation with constant 9 of the seed as the key.
func modmNaive(seed, m uint64, elements []uint64) map[uint64]bool {
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
