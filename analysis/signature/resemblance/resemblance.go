// Package resemblance has estimates of resemblance and containment, each with its
// standard error.
//
// The resemblance of two documents is r = |A∩B| / |A∪B| over their sets of
// shingles, the containment of A in B is |A∩B| / |A| (Broder, "On the resemblance
// and containment of documents", 1997). Every sketch looks at a sample of the union
// and counts how many of it lie in both sets; the packages sketch, minwise, bottom
// and modm differ in how they take the sample, and so in its standard error.
package resemblance

import (
	"fmt"
	"math"
)

// Estimate is an estimated share, from 0 to 1.
type Estimate struct {
	// Value is the estimate.
	Value float64 `json:"value"`

	// StdErr is its standard error: of many estimates about two thirds lie within
	// one of the truth, 95 % within two. It is itself estimated from the sample, and
	// so 0 both for what is exactly known and where all of a sample of n agrees or
	// none does; the truth is then within 3/n of Value, with 95 %.
	StdErr float64 `json:"stderr"`
}

// String returns the estimate as "0.83 ± 0.04".
func (e Estimate) String() string { return fmt.Sprintf("%.2f ± %.2f", e.Value, e.StdErr) }

// Sampled estimates a share from a sample of n of which so many have what is
// looked for. Of a sample without replacement, covered is the share of the whole
// that was taken; it is 0 for one with replacement, and 1 for all, whose estimate is
// exact. n must not be 0.
//
// The square of the standard error is p(1-p)/(n-1) · (1-covered), the unbiased
// estimate of the variance (Cochran, "Sampling Techniques", 1977, section 3.2). A
// sample of one tells nothing about it; then it is the greatest there is, p = 1/2.
func Sampled(common, n int, covered float64) Estimate {
	p := float64(common) / float64(n)
	variance := .25
	if n > 1 {
		variance = p * (1 - p) / float64(n-1)
	}
	return Estimate{Value: p, StdErr: math.Sqrt(variance * max(0, 1-covered))}
}

// Containment returns the containments that follow from a resemblance e of two
// sets of sizeA and sizeB distinct shingles: e/(1+e) · (sizeA+sizeB)/sizeA, and the
// same over sizeB; at most 1, and 0 for an empty set.
//
// The standard error is that of e times the derivative (the delta method). The
// curve bends, so that on average a containment is too small by about
// e.StdErr² · (sizeA+sizeB)/sizeA / (1+e)³: .0015 for two sets of one size and
// resemblance .5 by 100 lanes, where the standard error is .044.
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
