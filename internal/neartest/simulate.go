package neartest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Rounds returns how often a test repeats what takes all rounds to show most: a fifth of them, and a twentieth with -short.
func Rounds(all int) int {
	if testing.Short() {
		return all / 20
	}
	return all / 5
}

// Sets returns two sets of random fingerprints: common fingerprints are in both, onlyA only
// in the first and onlyB only in the second. The common ones come first.
func Sets(rnd *rand.Rand, common, onlyA, onlyB int) (a, b []uint64) {
	a, b = make([]uint64, common+onlyA), make([]uint64, common+onlyB)
	for i := range a {
		a[i] = rnd.Uint64()
	}
	copy(b, a[:common])
	for i := common; i < len(b); i++ {
		b[i] = rnd.Uint64()
	}
	return a, b
}

// Shares returns how many of size elements two sets have in common, and how many more each
// of them has, for a resemblance as near as possible to r and below 1.
func Shares(size int, r float64) (common, only int) {
	only = max(1, int(math.Round(float64(size)*(1-r)/(1+r))))
	return size - only, only
}

// Trials collects estimates of one truth.
type Trials struct {
	Truth float64

	n                          float64
	sum, squares, cubes, quads float64 // of the errors of the estimates
	stated, statedSquares      float64 // of the squares of their standard errors
}

// Add adds one estimate.
func (t *Trials) Add(e sketch.Estimate) {
	d, v := e.Value-t.Truth, e.StdErr*e.StdErr
	t.n++
	t.sum += d
	t.squares += d * d
	t.cubes += d * d * d
	t.quads += d * d * d * d
	t.stated += v
	t.statedSquares += v * v
}

// variance returns the variance of the estimates, the mean of the variances they state, and
// the noise in the difference of the two.
func (t *Trials) variance() (seen, stated, noise float64) {
	mean := t.sum / t.n
	seen = t.squares/t.n - mean*mean
	fourth := t.quads/t.n - 4*mean*t.cubes/t.n + 6*mean*mean*t.squares/t.n - 3*mean*mean*mean*mean
	stated = t.stated / t.n
	return seen, stated, math.Sqrt(max(0, fourth-seen*seen)/t.n) + math.Sqrt(max(0, t.statedSquares/t.n-stated*stated)/t.n)
}

// String returns the error of the mean, in its standard errors, and the stated variance as
// a multiple of the variance seen.
func (t *Trials) String() string {
	seen, stated, noise := t.variance()
	return fmt.Sprintf("%v of %.4f: mean off by %+.5f (%+.1f errors), variance %.3g, stated %.3f ± %.3f of it",
		t.n, t.Truth, t.sum/t.n, t.sum/t.n/math.Sqrt(seen/t.n), seen, stated/seen, noise/seen)
}

// Err returns an error if the error of the mean is not bias, or if the stated standard
// errors do not match. Each must differ by more than four standard errors, and the variance
// also by more than a share of slack.
func (t *Trials) Err(bias, slack float64) error {
	const errors = 4
	seen, stated, noise := t.variance()
	if !(math.Abs(t.sum/t.n-bias) <= errors*math.Sqrt(seen/t.n)) {
		return fmt.Errorf("wanted a mean off by %+.5f, got %v", bias, t)
	}
	if !(math.Abs(stated-seen) <= errors*noise+slack*seen) {
		return fmt.Errorf("wanted the variance that is stated, got %v", t)
	}
	return nil
}
