// Package resemblance has estimates of resemblance and containment. An [Estimate] is a
// value with its standard error.
//
// The resemblance of two documents is r = |A∩B| / |A∪B| over their sets of shingles, and
// the containment of A in B is |A∩B| / |A| (Broder, "On the resemblance and containment of
// documents", 1997). Every sketch takes a sample of the union and counts the elements of
// the sample that both sets have. The packages sketch, minwise, bottom and modm differ in
// how they take the sample, and so in its standard error.
package resemblance

import (
	"fmt"
	"math"
)

// Estimate is an estimated share, from 0 to 1.
type Estimate struct {
	// Value is the estimate.
	Value float64 `json:"value"`

	// StdErr is the standard error of Value: of many estimates about two thirds are within
	// one standard error of the truth, and 95 % within two. It is itself estimated from the
	// sample. So it is 0 for a value known exactly, and also if all of a sample of n agree
	// or none does; in that case the truth is within 3/n of Value, with 95 %. Estimates from
	// signatures then have Unanimous(n): they are exact only for texts that are equal.
	StdErr float64 `json:"stderr"`
}

// String returns the estimate as "0.83 ± 0.04", with as many digits as a small standard error
// needs not to look like none: "0.9960 ± 0.0004".
func (e Estimate) String() string {
	digits := 2
	for limit := .005; e.StdErr > 0 && e.StdErr < limit && digits < mostDigits; limit /= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, e.Value, digits, e.StdErr)
}

// mostDigits is the most digits that String writes after the point.
const mostDigits = 6

// Sampled estimates a share from a sample of n elements, of which common have the property
// in question. covered is the share of the whole that was sampled: for a sample without
// replacement, 1 means that all was sampled and the estimate is exact; for a sample with
// replacement, covered is 0. n must not be 0.
//
// The square of the standard error is p(1-p)/(n-1) · (1-covered), the unbiased estimate of
// the variance (Cochran, "Sampling Techniques", 1977, section 3.2). A sample of one says
// nothing about the variance; then it is taken as the greatest possible, at p = 1/2.
func Sampled(common, n int, covered float64) Estimate {
	p := float64(common) / float64(n)
	variance := .25
	if n > 1 {
		variance = p * (1 - p) / float64(n-1)
	}
	return Estimate{Value: p, StdErr: math.Sqrt(variance * max(0, 1-covered))}
}

// Unanimous is the standard error of a share by a sample of n elements, with replacement, which
// all have the property or of which none has. Sampled says 0, which is right on average over all
// samples but as a statement about such a one is wrong. This is the standard deviation of the share
// if before the sample all shares were equally likely, about 1/n (Laplace's rule of succession).
func Unanimous(n int) float64 {
	all := float64(n)
	return math.Sqrt((all+1)/(all+3)) / (all + 2)
}

// Containment returns the containments that follow from a resemblance e of two sets of
// sizeA and sizeB distinct shingles: e/(1+e) · (sizeA+sizeB)/sizeA, and the same over
// sizeB. They are at most 1, and 0 for an empty set.
//
// The standard error is that of e times the derivative (the delta method). The curve bends,
// so on average a containment is too small by about e.StdErr² · (sizeA+sizeB)/sizeA /
// (1+e)³: .0015 for two sets of one size and resemblance .5 by 100 lanes, with a standard
// error of .044.
func (e Estimate) Containment(sizeA, sizeB uint64) (aInB, bInA Estimate) {
	of := func(size uint64) Estimate {
		if size == 0 {
			return Estimate{}
		}
		ratio := (float64(sizeA) + float64(sizeB)) / float64(size)
		return Estimate{
			Value:  min(1, e.Value/(1+e.Value)*ratio),
			StdErr: e.StdErr * ratio / ((1 + e.Value) * (1 + e.Value)),
		}
	}
	return of(sizeA), of(sizeB)
}
