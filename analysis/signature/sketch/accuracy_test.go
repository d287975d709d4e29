package sketch_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func build(b *sketch.Builder, elements []uint64) sketch.Sketch {
	b.Reset()
	b.Add(elements)
	b.Finish(elements)
	return b.Append(nil)
}

// byChance is the probability that two different lanes agree.
const byChance = 1. / 256

// A lane agrees with a probability equal to the resemblance, and else by chance. Sketches are never worse than independent
// permutations: unlike pairs do not reach 90 of 100 lanes more often, and like pairs do not reach it less often.
func TestNinetyLanes(t *testing.T) {
	t.Parallel()
	builder := sketch.NewBuilder(100, 0)
	for _, size := range []int{4, 15, 150, 1000} {
		pairs := neartest.Rounds(20_000 / max(1, size/150))
		for _, want := range []float64{.5, .8, .95, .96} {
			common, only := neartest.Shares(size, want)
			r := float64(common) / float64(common+2*only)
			rnd := rand.New(rand.NewPCG(uint64(common), uint64(only)))
			reached := 0
			for range pairs {
				a, b := neartest.Sets(rnd, common, only, only)
				if sketch.Within(build(builder, a), build(builder, b), 10) {
					reached++
				}
			}
			p, q := float64(reached)/float64(pairs), atLeast(100, 90, r+(1-r)*byChance)
			noise := 4 * math.Sqrt(q*(1-q)/float64(pairs))
			if r <= .8 && p > q+noise || r >= .95 && p < q-noise {
				t.Errorf("sets of %d, resemblance %.3f: %.5f reach 90 lanes, by the binomial %.5f, noise %.5f", size, r, p, q, noise)
			}
		}
	}
}
