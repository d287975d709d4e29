package main

import "math"

// verdict is what a method says of one pair of sets.
type verdict struct {
	estimate  float64 // of the resemblance; NaN if the method has none
	duplicate bool    // it takes the sets for near-duplicates
}

// tally sums up the verdicts of one method over pairs of one resemblance r.
type tally struct {
	pairs, accepted int
	estimates       int     // pairs for which there is an estimate
	sum, squares    float64 // of estimate - expected
}

func (t *tally) add(v verdict, expected float64) {
	t.pairs++
	if v.duplicate {
		t.accepted++
	}
	if !math.IsNaN(v.estimate) {
		d := v.estimate - expected
		t.estimates++
		t.sum += d
		t.squares += d * d
	}
}

func (t *tally) merge(o tally) {
	t.pairs += o.pairs
	t.accepted += o.accepted
	t.estimates += o.estimates
	t.sum += o.sum
	t.squares += o.squares
}

// share is the part of the pairs that were taken for duplicates.
func (t *tally) share() float64 { return float64(t.accepted) / float64(max(1, t.pairs)) }

// variance is the variance of the estimates.
func (t *tally) variance() float64 {
	n := float64(max(1, t.estimates))
	mean := t.sum / n
	return max(0, t.squares/n-mean*mean)
}

// bias is the mean error of the estimates in standard errors of that mean: for an
// unbiased method it is within 3 of 0, except in one cell of 370. It is 0 where the
// estimates do not vary.
func (t *tally) bias() float64 {
	v := t.variance()
	if v < 1e-12 { // a sum of numbers that are the same is not exact
		return 0
	}
	n := float64(t.estimates)
	return t.sum / n / math.Sqrt(v/n)
}

// atLeast is P[X >= need] for X binomial with n trials of probability p: the share
// of pairs of resemblance p with at least need of n independent lanes that agree.
func atLeast(n, need int, p float64) (sum float64) {
	if p >= 1 {
		return 1
	}
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	for i := max(need, 0); i <= n; i++ {
		sum += math.Exp(lg(n) - lg(i) - lg(n-i) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// expect is the probability that a lane of so many bits agrees between sets of
// resemblance r: lanes that differ agree in their low bits by chance.
func expect(r float64, bits int) float64 { return r + (1-r)*math.Exp2(-float64(bits)) }
