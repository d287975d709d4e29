package sketch_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestSampled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		common, n     int
		covered       float64
		value, stderr float64
	}{
		{50, 101, 0, 50. / 101, math.Sqrt(50. / 101 * 51 / 101 / 100)},
		{50, 101, .75, 50. / 101, math.Sqrt(50. / 101 * 51 / 101 / 400)},
		{3, 4, 1, .75, 0},
		{3, 4, 1.01, .75, 0},
		{0, 10, 0, 0, 0},
		{10, 10, 0, 1, 0},
		{1, 1, 0, 1, .5},
		{0, 1, .75, 0, .25},
		{0, 1, 1, 0, 0},
	} {
		got := sketch.Sampled(tt.common, tt.n, tt.covered)
		if !near(got.Value, tt.value) || !near(got.StdErr, tt.stderr) {
			t.Errorf("%d of %d, %v covered: got %+v, want %v ± %v", tt.common, tt.n, tt.covered, got, tt.value, tt.stderr)
		}
	}
}

// The unbiased variance of a sample without replacement, by drawing all possible samples
// from 7 elements, 3 of them common.
func TestSampledExhaustively(t *testing.T) {
	t.Parallel()
	const whole, common = 7, 3
	for n := 2; n <= whole; n++ {
		samples, sum, squares, stated := 0., 0., 0., 0. // of the errors, and of the variances
		for set := range 1 << whole {
			size, have := 0, 0
			for i := range whole {
				if set>>i&1 == 1 {
					size++
					if i < common {
						have++
					}
				}
			}
			if size == n {
				e := sketch.Sampled(have, n, float64(n)/whole)
				off := e.Value - float64(common)/whole
				samples, sum, squares, stated = samples+1, sum+off, squares+off*off, stated+e.StdErr*e.StdErr
			}
		}
		if !near(sum/samples, 0) || !near(stated, squares) {
			t.Errorf("samples of %d: the mean is off by %v, stated is %v of the variance", n, sum/samples, stated/squares)
		}
	}
}

func TestContainment(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r            float64
		sizeA, sizeB uint64
		aInB, bInA   float64
		errorA, errB float64 // for a standard error of 1
	}{
		{1, 100, 100, 1, 1, .5, .5},
		{.5, 100, 50, .5, 1, 1.5 / 2.25, 3 / 2.25},
		{3. / 8, 3, 8, 1, 3. / 8, 11. / 3 * 64 / 121, 11. / 8 * 64 / 121},
		{.5, 100, 10, .3666666666666667, 1, 1.1 / 2.25, 11 / 2.25}, // there are no such sets, but estimates are noisy
		{0, 100, 100, 0, 0, 2, 2},
		{0, 0, 100, 0, 0, 0, 1},
		{0, 100, 0, 0, 0, 1, 0},
		{0, 0, 0, 0, 0, 0, 0},
		{1, 1<<64 - 1, 1<<64 - 1, 1, 1, .5, .5},
	} {
		a, b := sketch.Estimate{Value: tt.r, StdErr: 1}.Containment(tt.sizeA, tt.sizeB)
		if !near(a.Value, tt.aInB) || !near(b.Value, tt.bInA) || !near(a.StdErr, tt.errorA) || !near(b.StdErr, tt.errB) {
			t.Errorf("%+v: got %+v and %+v", tt, a, b)
		}
	}
}

// Containment from the resemblance that 100 lanes give, with its stated bias.
func TestContainmentAccuracy(t *testing.T) {
	t.Parallel()
	const lanes = 100
	pairs := neartest.Rounds(20_000)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct{ common, onlyA, onlyB uint64 }{
		{10, 5, 5}, {500, 250, 250}, {500, 100, 400}, {800, 100, 100}, {800, 50, 150}, {900, 50, 50}, {950, 25, 25},
	} {
		sizeA, sizeB := tt.common+tt.onlyA, tt.common+tt.onlyB
		r := float64(tt.common) / float64(tt.common+tt.onlyA+tt.onlyB)
		aInB := neartest.Trials{Truth: float64(tt.common) / float64(sizeA)}
		bInA := neartest.Trials{Truth: float64(tt.common) / float64(sizeB)}
		for range pairs {
			agree := 0
			for range lanes {
				if rnd.Float64() < r {
					agree++
				}
			}
			a, b := sketch.Sampled(agree, lanes, 0).Containment(sizeA, sizeB)
			aInB.Add(a)
			bInA.Add(b)
		}
		for _, c := range []struct {
			trials *neartest.Trials
			size   uint64
		}{{&aInB, sizeA}, {&bInA, sizeB}} {
			bias := -r * (1 - r) / lanes * float64(sizeA+sizeB) / float64(c.size) / math.Pow(1+r, 3)
			if err := c.trials.Err(bias, .03); err != nil {
				t.Errorf("%+v: %v", tt, err)
			}
			t.Logf("%+v: bias %+.5f: %v", tt, bias, c.trials)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(sketch.Estimate{Value: .5, StdErr: .25})
	if want := `{"value":0.5,"stderr":0.25}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v, want %s", text, err, want)
	}
}

// An estimate that is not exact never looks exact.
func TestString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		e    sketch.Estimate
		want string
	}{
		{sketch.Estimate{Value: .8333, StdErr: .041}, "0.83 ± 0.04"},
		{sketch.Estimate{Value: 1}, "1.00 ± 0.00"},
		{sketch.Estimate{Value: 1, StdErr: sketch.Unanimous(100)}, "1.00 ± 0.01"},
		{sketch.Estimate{StdErr: sketch.Unanimous(100)}, "0.00 ± 0.01"},
		{sketch.Estimate{Value: 1, StdErr: sketch.Unanimous(1024)}, "1.000 ± 0.001"},
		{sketch.Sampled(1020, 1024, 0), "0.996 ± 0.002"},
		{sketch.Estimate{Value: .996, StdErr: .005}, "1.00 ± 0.01"},
		{sketch.Estimate{Value: .996, StdErr: .00496}, "0.996 ± 0.005"},
		{sketch.Estimate{Value: 1, StdErr: 1e-9}, "1.000000 ± 0.000000"},
	} {
		if got := tt.e.String(); got != tt.want {
			t.Errorf("%+v: got %s, want %s", tt.e, got, tt.want)
		}
	}
}

// Unanimous is what plain sums say: of shares p, as likely as p^n, the mean square distance from
// their mean.
func TestUnanimous(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 16, 100, 1024} {
		const steps = 100_000
		var all, sum, squares float64
		for i := range steps {
			p := (float64(i) + .5) / steps
			weight := math.Pow(p, float64(n))
			all, sum, squares = all+weight, sum+weight*p, squares+weight*p*p
		}
		mean := sum / all
		if want, got := math.Sqrt(squares/all-mean*mean), sketch.Unanimous(n); math.Abs(got-want) > 1e-3*want {
			t.Errorf("%d: got %v, want %v", n, got, want)
		}
	}
}
