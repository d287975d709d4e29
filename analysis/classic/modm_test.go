package classic_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/codec"
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

			want := slices.Sorted(maps.Keys(modmNaive(42, tt.both, slices.Concat(a, b))))
			if err := x.Merge(&y); err != nil || x.Modulus != tt.both || !slices.Equal(x.Values, want) {
				t.Fatalf("m = %d and %d: merged %x by %d, %v, want %x", tt.m, tt.n, x.Values, x.Modulus, err, want)
			}
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
		if err := a.Merge(&b); err == nil || !strings.Contains(err.Error(), "modm: merge: wanted parameters ") {
			t.Errorf("%+v: got %v", b, err)
		}
	}
	large := classic.ModmOf(classic.ModmParams{Modulus: classic.MaxModulus}, nil)
	odd := classic.ModmOf(classic.ModmParams{Modulus: 3}, []uint64{1, 2, 3})
	if err := odd.Merge(&large); err == nil || !strings.Contains(err.Error(), "modm: merge: wanted moduli with a common multiple up to 4294967296, got 3 and 4294967296") {
		t.Errorf("got %v", err)
	}
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

func modmBlank() neartest.Stored { return new(classic.Modm) }

// modmStored returns the stored form of some sketch with two values or more: its head has 6
// bytes, and each of its two counts has one.
func modmStored(tb testing.TB) []byte {
	tb.Helper()
	set, _ := neartest.Sets(rand.New(rand.NewPCG(1, 2)), 0, 100, 0)
	s := classic.ModmOf(classic.ModmParams{Modulus: 25}, set)
	data, err := s.MarshalBinary()
	if err != nil || len(s.Values) < 2 {
		tb.Fatalf("got %+v, %v", s, err)
	}
	return data
}

func modmBadInputs(tb testing.TB) []neartest.Input {
	good := modmStored(tb)
	head, values := good[:6], good[8:len(good)-4]
	n := uint64(len(values) / 8)
	bad := func(name string, modulus, n uint64, values ...[]byte) neartest.Input {
		data := neartest.Seal(slices.Concat([][]byte{head, neartest.Uvarints(modulus, n)}, values)...)
		return neartest.Input{Name: name, Data: data, Err: codec.ErrMalformed}
	}
	return append(
		neartest.BadInputs(good),
		bad("modulus 0", 0, 0), bad("modulus 0 with values", 0, n, values), bad("modulus 2^32+1", classic.MaxModulus+1, 0),
		bad("another modulus", 26, n, values), bad("fewer values than said", 25, n, values[8:]),
		bad("more values than said", 25, n-1, values), bad("half a value", 25, n, values[4:]),
		bad("a value twice", 25, n, values[:8], values[:len(values)-8]), bad("values not in order", 25, n, values[8:], values[:8]),
	)
}

func TestModmStored(t *testing.T) {
	if err := neartest.Reject(modmBlank, modmBadInputs(t)); err != nil {
		t.Error(err)
	}
}

func TestModmRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, m := range []uint64{1, 25, classic.MaxModulus} {
		for _, n := range []int{0, 1, 99, 1000} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			want := classic.ModmOf(classic.ModmParams{Modulus: m, Seed: 7}, set)
			data, err := want.AppendBinary([]byte("kept"))
			if err != nil || string(data[:4]) != "kept" {
				t.Fatalf("got %x, %v", data, err)
			}
			got := classic.Modm{Params: 1, Modulus: 2, Values: []uint64{4}}
			if err := got.UnmarshalBinary(data[4:]); err != nil || got.Params != want.Params || got.Modulus != m || !slices.Equal(got.Values, want.Values) {
				t.Errorf("m = %d, %d elements: got %+v, %v", m, n, got, err)
			}
			clear(data)
			if !slices.Equal(got.Values, want.Values) {
				t.Error("the values lie in the input")
			}
		}
	}
}

// Stored bytes never change, unless the version does.
func TestModmGolden(t *testing.T) {
	t.Parallel()
	s := classic.ModmOf(classic.ModmParams{Modulus: 2, Seed: 42}, []uint64{1, 2, 3, 1 << 63})
	data, err := s.MarshalBinary()
	if got, want := hex.EncodeToString(data), "01a37e9cd66d02016648dc21e292420cc4ad8e21"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func FuzzModmUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, modmBlank, modmStored(f), modmBadInputs(f), func(t *testing.T, read neartest.Stored) {
		s := read.(*classic.Modm)
		classic.ModmResemblance(s, s)
		classic.ModmContainment(s, s)
		if err := s.Merge(s); err != nil {
			t.Error(err)
		}
	})
}
