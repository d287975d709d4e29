package classic_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// splitmix is the i-th number of splitmix64 from a state, from which each sketch makes its permutations.
func splitmix(state, i uint64) uint64 {
	z := state + i*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// The means of the estimates are the resemblance and the containment, and their variances the stated ones, of mod m
// with two moduli as for documents of different size, too. The sketch of what two sets have in common is brought
// together with that of what only one has, where that is half the work.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	bottom := func(s int) func(seed uint64, common int, a, b []uint64) []estimate {
		return func(seed uint64, _ int, a, b []uint64) []estimate {
			p := classic.BottomParams{Size: s, Seed: seed}
			x, y := classic.BottomOf(p, a), classic.BottomOf(p, b)
			return []estimate{known(classic.BottomResemblance(&x, &y))}
		}
	}
	minwise := func(lanes int) func(seed uint64, common int, a, b []uint64) []estimate {
		return func(seed uint64, common int, a, b []uint64) []estimate {
			p := classic.MinwiseParams{Lanes: lanes, Seed: seed}
			x, y, both := classic.MinwiseOf(p, a), classic.MinwiseOf(p, b[common:]), classic.MinwiseOf(p, a[:common])
			for i, v := range both.Lanes {
				y.Lanes[i] = min(y.Lanes[i], v)
			}
			return []estimate{known(classic.MinwiseResemblance(&x, &y))}
		}
	}
	modm := func(m, n uint64) func(seed uint64, common int, a, b []uint64) []estimate {
		return func(seed uint64, _ int, a, b []uint64) []estimate {
			x, y := classic.ModmOf(classic.ModmParams{Modulus: m, Seed: seed}, a), classic.ModmOf(classic.ModmParams{Modulus: n, Seed: seed}, b)
			return []estimate{known(classic.ModmResemblance(&x, &y)), known(classic.ModmContainment(&x, &y)), known(classic.ModmContainment(&y, &x))}
		}
	}
	for _, tt := range []struct {
		name         string
		size, larger int // elements that a or b has, elements that only b has
		pairs        int
		of           func(seed uint64, common int, a, b []uint64) []estimate // of resemblance, and of the containments
	}{
		{"bottom 10", 20, 0, 20_000, bottom(10)},
		{"bottom 100", 200, 0, 10_000, bottom(100)},
		{"minwise 100", 20, 0, 10_000, minwise(100)},
		{"minwise 16", 200, 0, 10_000, minwise(16)},
		{"mod 2", 20, 0, 20_000, modm(2, 2)},
		{"mod 4 and 8", 200, 200, 20_000, modm(4, 8)},
		{"mod 25", 2000, 0, 2000, modm(25, 25)},
	} {
		for _, want := range []float64{.5, .8, .95} {
			common, only := neartest.Shares(tt.size, want)
			onlyB := only + tt.larger
			trials := []neartest.Trials{
				{Truth: float64(common) / float64(common+only+onlyB)}, {Truth: float64(common) / float64(common+only)}, {Truth: float64(common) / float64(common+onlyB)},
			}
			rnd := rand.New(rand.NewPCG(uint64(tt.size), uint64(only)))
			n := 0
			for i := range neartest.Rounds(tt.pairs) {
				a, b := neartest.Sets(rnd, common, only, onlyB)
				estimates := tt.of(uint64(i), common, a, b)
				n = len(estimates)
				for k, e := range estimates {
					if e.ok {
						trials[k].Add(e.Estimate)
					}
				}
			}
			for k := range trials[:n] {
				if err := trials[k].Err(0, 0); err != nil {
					t.Errorf("%s, sets of %d: %v", tt.name, tt.size, err)
				}
			}
		}
	}
}

// estimate is one that there is, or none.
type estimate struct {
	sketch.Estimate
	ok bool
}

func known(e sketch.Estimate, ok bool) estimate { return estimate{e, ok} }

// Wrong parameters are an error, and a panic where there is no room for one.
func TestValidate(t *testing.T) {
	t.Parallel()
	type params interface{ Validate() error }
	bottom := func(p params) { classic.BottomOf(p.(classic.BottomParams), nil) }
	minwise := func(p params) { classic.MinwiseOf(p.(classic.MinwiseParams), nil) }
	modm := func(p params) { classic.ModmOf(p.(classic.ModmParams), nil) }
	super := func(p params) { classic.SupershinglesOf(p.(classic.Plan), nil, 0) }
	for _, tt := range []struct {
		p    params
		of   func(params)
		want string
	}{
		{classic.BottomParams{Size: -1}, bottom, "bottom: size: wanted 1 to 65536, got -1"},
		{classic.BottomParams{}, bottom, "bottom: size: wanted 1 to 65536, got 0"},
		{classic.BottomParams{Size: 1<<16 + 1}, bottom, "bottom: size: wanted 1 to 65536, got 65537"},
		{classic.MinwiseParams{Lanes: 15}, minwise, "minwise: lanes: wanted 16 to 1024, got 15"},
		{classic.MinwiseParams{Lanes: 1025}, minwise, "minwise: lanes: wanted 16 to 1024, got 1025"},
		{classic.ModmParams{}, modm, "modm: modulus: wanted 1 to 4294967296, got 0"},
		{classic.ModmParams{Modulus: classic.MaxModulus + 1}, modm, "modm: modulus: wanted 1 to 4294967296, got 4294967297"},
		{classic.Plan{}, super, "supershingle: groups: wanted 1 to 64, got 0"},
		{classic.Plan{Groups: 65, Width: 1, Need: 1}, super, "supershingle: groups: wanted 1 to 64, got 65"},
		{classic.Plan{Groups: 6, Need: 1}, super, "supershingle: width: wanted 1 to 170 for 6 groups, got 0"},
		{classic.Plan{Groups: 6, Width: 171, Need: 1}, super, "supershingle: width: wanted 1 to 170 for 6 groups, got 171"},
		{classic.Plan{Groups: 6, Width: 14}, super, "supershingle: need: wanted 1 to 6, got 0"},
		{classic.Plan{Groups: 6, Width: 14, Need: 7}, super, "supershingle: need: wanted 1 to 6, got 7"},
	} {
		if err := tt.p.Validate(); err == nil || err.Error() != tt.want {
			t.Errorf("%+v: got %v, want %s", tt.p, err, tt.want)
		}
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != tt.want {
					t.Errorf("%+v: got the panic %s, want %s", tt.p, got, tt.want)
				}
			}()
			tt.of(tt.p)
		}()
	}
	if err := classic.DefaultPlan().Validate(); err != nil {
		t.Error(err)
	}
}
