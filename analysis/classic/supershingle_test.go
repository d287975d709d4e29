package classic_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// random returns a sketch of k random lanes.
func random(rnd *rand.Rand, k int) sketch.Sketch {
	s := make(sketch.Sketch, sketch.Words(k))
	for i := range k {
		s.Set(i, uint8(rnd.Uint32()))
	}
	return s
}

func TestSupershingleOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, p := range []classic.Plan{classic.DefaultPlan(), {Groups: 1, Width: 16, Need: 1}, {Groups: 16, Width: 1, Need: 3}, {Groups: 64, Width: 16, Need: 64}} {
		lanes := random(rnd, max(100, p.Groups*p.Width))
		s := classic.SupershinglesOf(p, lanes, 7)
		if len(s.Features) != p.Groups {
			t.Fatalf("%+v: got %d features", p, len(s.Features))
		}
		for i, got := range s.Features {
			var group []byte
			for lane := i * p.Width; lane < (i+1)*p.Width; lane++ {
				group = append(group, lanes.Lane(lane))
			}
			if want := xxhash.Sum64(group); got != want {
				t.Errorf("%+v: feature %d is %x, want %x", p, i, got, want)
			}
		}
		// One lane changes one feature, a lane beyond the groups none.
		for range 100 {
			lane := rnd.IntN(4 * len(lanes))
			lanes[lane/8] ^= 1 << (lane % 8 * 8)
			other := classic.SupershinglesOf(p, lanes, 7)
			lanes[lane/8] ^= 1 << (lane % 8 * 8)
			want := p.Groups
			if lane < p.Groups*p.Width {
				want--
			}
			if got := classic.SupershinglesAgree(&s, &other); got != want || p.Duplicates(&s, &other) != (want >= p.Need) {
				t.Errorf("%+v: lane %d differs: got %d features in common, want %d", p, lane, got, want)
			}
		}
	}
}

func TestSupershingleDifferentParams(t *testing.T) {
	t.Parallel()
	p := classic.DefaultPlan()
	lanes := random(rand.New(rand.NewPCG(3, 4)), 100)
	a := classic.SupershinglesOf(p, lanes, 7)
	for _, b := range []classic.Supershingles{
		{},
		classic.SupershinglesOf(p, nil, 7),
		classic.SupershinglesOf(p, lanes, 8),
		classic.SupershinglesOf(classic.Plan{Groups: 6, Width: 13, Need: 2}, lanes, 7),
		classic.SupershinglesOf(classic.Plan{Groups: 7, Width: 14, Need: 2}, lanes, 7),
	} {
		if n := classic.SupershinglesAgree(&a, &b); n != 0 || p.Duplicates(&a, &b) {
			t.Errorf("%08x: got %d", b.Params, n)
		}
	}
	none := classic.SupershinglesOf(p, nil, 7)
	if p.Duplicates(&none, &none) {
		t.Error("documents without lanes are duplicates")
	}
}

// The probability, summed over which features agree instead of how many, and the table of
// the package comment.
func TestSupershingleProbability(t *testing.T) {
	t.Parallel()
	for _, p := range []classic.Plan{classic.DefaultPlan(), {Groups: 6, Width: 14, Need: 1}, {Groups: 10, Width: 3, Need: 10}, {Groups: 1, Width: 5, Need: 1}} {
		for _, r := range []float64{0, .1, .5, .8, .9, .95, .99, 1} {
			want := 0.
			for agreeing := range 1 << p.Groups {
				n, chance := 0, 1.
				for i := range p.Groups {
					whole := math.Pow(r, float64(p.Width))
					if agreeing>>i&1 == 1 {
						chance *= whole
						n++
					} else {
						chance *= 1 - whole
					}
				}
				if n >= p.Need {
					want += chance
				}
			}
			if got := p.Probability(r); math.Abs(got-want) > 1e-12 {
				t.Errorf("%+v, r = %v: got %v, want %v", p, r, got, want)
			}
		}
	}
	for r, want := range map[float64]string{.5: "5.59e-08", .8: "0.0258", .9: "0.415", .95: "0.879", .99: "1"} {
		if got := fmt.Sprintf("%.3g", classic.DefaultPlan().Probability(r)); got != want {
			t.Errorf("r = %v: got %v, want %v", r, got, want)
		}
	}
}

// accepted returns the share of pairs that are accepted, and the share by the formula.
func accepted(pairs, size int, r float64, of func(seed uint64, set []uint64) classic.Supershingles) (share, formula, noise float64) {
	pairs = neartest.Rounds(pairs)
	plan := classic.DefaultPlan()
	common, only := neartest.Shares(size, r)
	rnd := rand.New(rand.NewPCG(uint64(size), uint64(only)))
	n := 0
	for i := range pairs {
		a, b := neartest.Sets(rnd, common, only, only)
		x, y := of(uint64(i), a), of(uint64(i), b)
		if plan.Duplicates(&x, &y) {
			n++
		}
	}
	formula = plan.Probability(float64(common) / float64(common+2*only))
	return float64(n) / float64(pairs), formula, 4 * math.Sqrt(formula*(1-formula)/float64(pairs))
}

// Independent lanes accept pairs with the probability of the formula.
func TestAcceptedIndependent(t *testing.T) {
	t.Parallel()
	for _, r := range []float64{.7, .8, .9, .93} {
		share, formula, noise := accepted(20_000, 30, r, func(seed uint64, set []uint64) classic.Supershingles {
			full := classic.MinwiseOf(classic.MinwiseParams{Lanes: 84, Seed: seed}, set)
			return classic.SupershinglesOf(classic.DefaultPlan(), packed(full), full.Params)
		})
		if math.Abs(share-formula) > noise {
			t.Errorf("r = %v: got %v, want %v within %v", r, share, formula, noise)
		}
		t.Logf("r = %v: got %v, formula %v", r, share, formula)
	}
}

// The lanes of package sketch err less in both directions.
func TestAcceptedFast(t *testing.T) {
	t.Parallel()
	builder := sketch.NewBuilder(84, 0)
	for _, size := range []int{20, 200, 1000} {
		for _, r := range []float64{.8, .9, .95, .98} {
			if size == 20 && r > .9 {
				continue // the only such sets are those of .9
			}
			share, formula, noise := accepted(1_000_000/max(size, 200), size, r, func(_ uint64, set []uint64) classic.Supershingles {
				builder.Reset()
				builder.Add(set)
				builder.Finish(set)
				return classic.SupershinglesOf(classic.DefaultPlan(), builder.Append(nil), 0)
			})
			if formula < .5 && share > formula+noise || formula > .5 && share < formula-noise {
				t.Errorf("sets of %d, r = %v: got %v, want no worse than %v within %v", size, r, share, formula, noise)
			}
			t.Logf("sets of %d, r = %v: got %v, formula %.4f", size, r, share, formula)
		}
	}
}

// packed has the lowest 8 bits of each lane, as a signature does.
func packed(full classic.Minwise) sketch.Sketch {
	s := make(sketch.Sketch, sketch.Words(len(full.Lanes)))
	for i, v := range full.Lanes {
		s.Set(i, uint8(v))
	}
	return s
}
