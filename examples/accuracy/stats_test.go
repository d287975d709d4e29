package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }

func TestTally(t *testing.T) {
	t.Parallel()
	var a, b tally
	for i, estimate := range []float64{.9, 1, .95, .75} {
		into := &a
		if i%2 == 1 {
			into = &b
		}
		into.add(verdict{estimate, estimate >= .9}, .9)
	}
	a.add(verdict{math.NaN(), true}, .9)
	a.merge(b)
	// Errors 0, .1, .05, -.15: mean 0, mean square (.01 + .0025 + .0225) / 4.
	if a.pairs != 5 || a.accepted != 4 || a.estimates != 4 || !near(a.share(), .8) {
		t.Errorf("got %+v, share %v; want 4 of 5 pairs accepted, 4 estimates", a, a.share())
	}
	if v := a.variance(); !near(v, .00875) || !near(a.bias(), 0) {
		t.Errorf("variance %v, bias %v; want .00875 and 0", v, a.bias())
	}
	// Errors .1 and .3: mean .2, variance .01, standard error .1/√2.
	c := tally{}
	c.add(verdict{.6, false}, .5)
	c.add(verdict{.8, false}, .5)
	if got, want := c.bias(), 2*math.Sqrt2; math.Abs(got-want) > 1e-9 {
		t.Errorf("bias %v, want %v", got, want)
	}
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n, need           int
		p, want, accuracy float64
	}{
		{1, 1, .3, .3, 1e-12},
		{3, 2, .5, .5, 1e-12},
		{3, 2, .9, 3*.81*.1 + .729, 1e-12},
		{100, 90, 1, 1, 0},
		{100, 90, .8, .005696, 1e-6},
		{100, 90, .95, .98853, 1e-5},
	} {
		if got := atLeast(tt.n, tt.need, tt.p); math.Abs(got-tt.want) > tt.accuracy {
			t.Errorf("atLeast(%d, %d, %v) = %v, want %v", tt.n, tt.need, tt.p, got, tt.want)
		}
	}
	if got := expect(.5, 1); got != .75 {
		t.Errorf("expect(.5, 1) = %v, want .75", got)
	}
}

// TestPair counts what the sets of every cell have in common.
func TestPair(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	seen := make(map[cell]bool)
	for _, c := range grid() {
		if seen[c] || c.r() < .5 || c.r() > 1 {
			t.Errorf("cell %v comes again or is out of range", c)
		}
		seen[c] = true
		a, b := pair(rnd, c, nil, nil)
		union, common := make(map[uint64]bool), 0
		for _, e := range a {
			union[e] = true
		}
		for _, e := range b {
			if union[e] {
				common++
			}
			union[e] = true
		}
		if len(union) != c.union || common != c.common {
			t.Errorf("cell %v: union %d, common %d", c, len(union), common)
		}
	}
	for _, c := range []cell{{5, 4}, {10, 9}, {20, 19}, {10000, 9600}} {
		if !seen[c] {
			t.Errorf("no cell %v", c)
		}
	}
}

// TestSimulate checks that results do not depend on the number of workers, and that
// equal sets always agree.
func TestSimulate(t *testing.T) {
	few := methods()[:1]
	before := runtime.GOMAXPROCS(1)
	one := simulate(few, 300, 7)
	runtime.GOMAXPROCS(3)
	three := simulate(few, 300, 7)
	runtime.GOMAXPROCS(before)
	if !reflect.DeepEqual(one, three) {
		t.Error("results differ between 1 and 3 workers")
	}
	for _, r := range one {
		if want := cellPairs(few[0], r.cell, 300); r.tally.pairs != want || want < least {
			t.Errorf("%s, %v: %d pairs, want %d", r.method, r.cell, r.tally.pairs, want)
		}
		if r.cell.common == r.cell.union && (r.tally.accepted != r.tally.pairs || r.tally.sum != 0) {
			t.Errorf("%s, %v: %+v, want all accepted", r.method, r.cell, r.tally)
		}
	}
}

// TestMethods runs all methods on few pairs: an estimate must lie near the
// resemblance, and what is far from the threshold must be decided rightly.
func TestMethods(t *testing.T) {
	t.Parallel()
	c := cell{200, 100}
	for _, m := range methods() {
		for _, c := range []cell{c, {200, 200}} {
			tallies := make([]tally, len(m.kinds))
			tallyPairs(rand.New(rand.NewPCG(3, 4)), m.kinds, m.start(), c, 50, tallies)
			for i, got := range tallies {
				name := m.name + ", " + m.kinds[i].name
				if mean := got.sum / float64(max(1, got.estimates)); math.Abs(mean) > .06 {
					t.Errorf("%s: mean error %v at resemblance %v", name, mean, c.r())
				}
				if want := c.common == c.union; (got.share() == 1) != want || got.share() > .1 && !want {
					t.Errorf("%s: share of duplicates %v at resemblance %v", name, got.share(), c.r())
				}
			}
		}
	}
}

func TestCompareLanes(t *testing.T) {
	t.Parallel()
	out := make([]verdict, 2)
	x, y := make(sketch.Sketch, sketch.Words(lanes)), make(sketch.Sketch, sketch.Words(lanes))
	for i := range lanes {
		lane, other := uint16(300*i), uint16(300*i)
		switch { // ten lanes differ in both bytes, one in the upper byte alone
		case i < 10:
			other ^= 0x0101
		case i == 10:
			other ^= 0x0100
		}
		x.Set(i, lane)
		y.Set(i, other)
	}
	compareLanes(x, y, out)
	if want := []verdict{{.89, false}, {.9, true}}; !slices.Equal(out, want) {
		t.Errorf("got %v, want %v", out, want)
	}
	a, b := pair(rand.New(rand.NewPCG(5, 6)), cell{200, 180}, nil, nil)
	out = make([]verdict, 3)
	similarity()(a, b, out)
	build := func(set []uint64) sketch.Sketch {
		builder := sketch.NewBuilder(lanes, 0)
		builder.Add(set)
		builder.Finish(set)
		return builder.Append(nil)
	}
	x, y = build(a), build(b)
	if agree := lanes - sketch.Differ(x, y); !near(out[0].estimate, float64(agree)/lanes) || out[0].duplicate != (agree >= need) {
		t.Errorf("got %v, want %d agreeing lanes", out[0], agree)
	}
}
