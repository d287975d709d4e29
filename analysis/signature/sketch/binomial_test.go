package sketch_test

import (
	"fmt"
	"math"
	"testing"
)

// atLeast returns P[X >= need] for X binomial with n trials of probability p: the share of
// pairs of resemblance p of which need or more of n independent lanes agree.
func atLeast(n, need int, p float64) (sum float64) {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	for i := max(need, 0); i <= n; i++ {
		sum += math.Exp(lg(n) - lg(i) - lg(n-i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// CS124's figures for the rule that 90 of 100 lanes agree.
func TestNinetyOfHundred(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ r, least, most float64 }{
		{.5, 1.5e-17, 1.6e-17}, // usually given as 1e-18; the sum is 1.53e-17
		{.8, .005, .006},
		{.9, .5825, .5835},
		{.95, .988, 1},
		{.96, .997, 1},
	} {
		if p := atLeast(100, 90, tt.r); p < tt.least || p > tt.most {
			t.Errorf("r = %v: got %v, want %v to %v", tt.r, p, tt.least, tt.most)
		}
	}
}

// With 200 lanes an estimate is within .035, .07 and .105 for 68.3 %, 95.4 % and 99.7 % of
// pairs, whatever their resemblance; r = .5 is the worst.
func TestTwoHundredLanes(t *testing.T) {
	t.Parallel()
	const k = 200
	within := func(r float64, lanes int) float64 {
		center := int(math.Round(k * r))
		return atLeast(k, center-lanes, r) - atLeast(k, center+lanes+1, r)
	}
	for _, tt := range []struct {
		lanes int // .035, .07, .105 of 200
		least float64
	}{{7, .683}, {14, .954}, {21, .997}} {
		worst, at := 1.0, 0.0
		for i := 1; i < k; i++ {
			if p := within(float64(i)/k, tt.lanes); p < worst-1e-9 {
				worst, at = p, float64(i)/k
			}
		}
		if worst < tt.least || math.Abs(at-.5) > .01 {
			t.Errorf("off by at most %d lanes: worst is %.4f at r = %v, want at least %v at .5", tt.lanes, worst, at, tt.least)
		}
	}
}

// The cost of 8 bits a lane, compared with 64 and 4: the figures in the comment of Sketch.
func TestLaneBits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		bits int
		want string
	}{{64, "0.005696"}, {16, "0.005698"}, {8, "0.005999"}, {4, "0.012715"}} {
		chance := math.Exp2(-float64(tt.bits))
		if got := fmt.Sprintf("%.6f", atLeast(100, 90, .8+.2*chance)); got != tt.want {
			t.Errorf("%d bits: P[>= 90 of 100 | r = .8] = %s, want %s", tt.bits, got, tt.want)
		}
	}
}
