package sketch_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// moments collects the shares of lanes that agree, for pairs of one resemblance.
type moments struct {
	n, ninety                  float64 // pairs, and pairs of which 90 % of the lanes agree
	sum, squares, cubes, quads float64 // of the deviations from r
}

func (m *moments) add(share, r float64) {
	d := share - r
	m.n++
	m.sum += d
	m.squares += d * d
	m.cubes += d * d * d
	m.quads += d * d * d * d
	if share >= .9 {
		m.ninety++
	}
}

// variance returns the variance and the standard error of its estimate.
func (m *moments) variance() (v, stderr float64) {
	mean := m.sum / m.n
	v = m.squares/m.n - mean*mean
	fourth := m.quads/m.n - 4*mean*m.cubes/m.n + 6*mean*mean*m.squares/m.n - 3*mean*mean*mean*mean
	return v, math.Sqrt((fourth - v*v) / m.n)
}

// pair makes two sets of random elements, with common elements in both and union in all;
// the others go to either set in turn.
func pair(rnd *rand.Rand, a, b []uint64, common, union int) ([]uint64, []uint64) {
	a, b = a[:0], b[:0]
	for i := range union {
		e := rnd.Uint64()
		if i < common || i%2 == 0 {
			a = append(a, e)
		}
		if i < common || i%2 == 1 {
			b = append(b, e)
		}
	}
	return a, b
}

func build(b *sketch.Builder, elements []uint64) sketch.Sketch {
	b.Reset()
	b.Add(elements)
	b.Finish(elements)
	return b.Append(nil)
}

// simulate compares pairs of sketches of 100 lanes.
func simulate(pairs, common, union int) (m moments) {
	const k = 100
	rnd := rand.New(rand.NewPCG(uint64(common), uint64(union)))
	builder := sketch.NewBuilder(k, 0)
	var a, b []uint64
	for range pairs {
		a, b = pair(rnd, a, b, common, union)
		share := 1 - float64(sketch.Differ(build(builder, a), build(builder, b)))/k
		r := float64(common) / float64(union)
		m.add(share, r+(1-r)*byChance)
	}
	return m
}

// byChance is the probability that two different lanes agree.
const byChance = 1. / 256

// A lane agrees with a probability equal to the resemblance, and else by chance. Sketches are never worse than
// independent permutations: unlike pairs do not reach 90 of 100 lanes more often, like
// pairs do not reach it less often, and the estimate does not vary more.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	for _, union := range []int{5, 10, 20, 60, 200, 1000, 10_000, 100_000} {
		before := 0
		for _, want := range []float64{.5, .8, .9, .95, .96} {
			common := int(math.Round(want * float64(union)))
			if common == before || common == union { // for instance .95 and .96 of 20, or .9 of 5
				continue
			}
			before = common
			r := float64(common) / float64(union)
			t.Run(fmt.Sprintf("union=%d/r=%.4f", union, r), func(t *testing.T) {
				t.Parallel()
				pairs := 50_000
				if union > 1000 {
					pairs = 10_000
				}
				if union > 10_000 {
					pairs = 1000
				}
				m := simulate(neartest.Rounds(pairs), common, union)
				v, vErr := m.variance()
				agree := r + (1-r)*byChance
				binomial := agree * (1 - agree) / 100
				p, q := m.ninety/m.n, atLeast(100, 90, agree)
				noise := 4 * math.Sqrt(q*(1-q)/m.n)
				t.Logf("mean off by %+.5f, variance/binomial %.3f, P[>= 90] %.5f, binomial %.5f", m.sum/m.n, v/binomial, p, q)
				if bias := m.sum / m.n; math.Abs(bias) > 4*math.Sqrt(v/m.n) {
					t.Errorf("the mean is off by %v, want 0 within %v", bias, 4*math.Sqrt(v/m.n))
				}
				if v > 1.02*binomial+4*vErr {
					t.Errorf("variance is %v of the binomial, want at most 1.02 + %v", v/binomial, 4*vErr/binomial)
				}
				if r <= .8 && p > q+noise || r >= .95 && p < q-noise {
					t.Errorf("P[>= 90] is %v, binomial %v, noise %v", p, q, noise)
				}
			})
		}
	}
}
