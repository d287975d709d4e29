package sketch

import (
	"fmt"
	"math"
)

// Estimate is an estimated share, from 0 to 1, with its standard error.
//
// The resemblance of two documents is r = |A∩B| / |A∪B| over their sets of shingles, and
// the containment of A in B is |A∩B| / |A| (Broder, "On the resemblance and containment of
// documents", 1997). Every sketch takes a sample of the union and counts the elements of
// the sample that both sets have. Sketches differ in how they take the sample, and so in its
// standard error.
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

// Resemblance estimates the resemblance of two sets from sketches of k lanes that a Builder
// made. sizeA and sizeB are the numbers of distinct elements, or 0 if they are not known.
//
// The value is the share of lanes that agree, corrected for lanes that agree by chance, and not below 0.
// The standard error is that of independent lanes times the square root of variance, and what chance adds. If the sizes
// are not known it is that of independent lanes, which is the most it can be.
//
// It panics if one of the sketches has fewer lanes.
func Resemblance(a, b Sketch, k int, sizeA, sizeB uint64) Estimate {
	n := float64(k)
	r := Share(k-Differ(a, b), k)
	// |A∪B| = (|A|+|B|) / (1+r), and at least the larger set whatever the noise in r.
	union := max((float64(sizeA)+float64(sizeB))/(1+r), float64(sizeA), float64(sizeB))
	// If the variance is ratio·r(1-r)/k, then ratio·p(1-p)/(k-ratio), with the observed p, estimates it without
	// bias. Lanes that differ agree by chance, each independently of the others.
	ratio := variance(k, union)
	return Estimate{Value: r, StdErr: math.Sqrt((1 - r) * (ratio*r + byChance/(1-byChance)) / (n - ratio))}
}

// Share is the resemblance of two sets if so many of k lanes agree: their share, corrected for lanes that agree by chance, and not below 0.
func Share(agree, k int) float64 {
	return max(0, (float64(agree)/float64(k)-byChance)/(1-byChance))
}

// variance returns the variance of the share of k lanes that agree, divided by the r(1-r)/k
// of independent lanes, for a union of that many elements.
//
// Let c(e) be the number of the union's lanes that element e fills; they sum to k. If r of
// the u elements, chosen at random, are common to both sets, the number of lanes that agree
// has the variance
//
//	r(1-r) · u/(u-1) · (Σ c(e)² - k²/u)
//
// and the expectation of Σ c(e)² is k + k(k-1)q, where q is the probability that the same
// element fills two lanes. This is impossible in one round, since every element is thrown
// into one lane only; in two rounds it happens with probability 1/u. A round leaves a given
// lane open with probability z = (1-1/k)^u and two given lanes with zz = (1-2/k)^u, so both
// are filled in the same one of the first k rounds with probability
//
//	same = (1-2z+zz) (1 + zz + zz² + ... + zz^(k-1))
//
// and q = (1-same)/u. For large u the variance is (u-k)/(u-1), a sample of k without
// replacement; for small u it tends to one half.
func variance(k int, union float64) float64 {
	if union <= 1 {
		return 1 // not known, or a single element: then all lanes agree or none does
	}
	n, u := float64(k), union
	z := math.Exp(u * math.Log1p(-1/n))
	zz := math.Exp(u * math.Log1p(-2/n))
	same := (1 - 2*z + zz) * (1 - math.Pow(zz, n)) / (1 - zz)
	return u / (u - 1) * (1 - n/u + (n-1)*(1-same)/u)
}

// Least returns the number of lanes, of k, in which a pair of resemblance r agrees with a probability of 1-missed or
// more: the greatest t, 1 or more, for which P(Binomial(k, r) >= t) is at least that. Lanes that agree by chance come
// on top. k counts as MaxLanes if it is more.
func Least(k int, r, missed float64) int {
	k = min(k, MaxLanes)
	if r >= 1 {
		return k
	}
	below := 0. // P(Binomial < t)
	for t := range k {
		lg := func(n int) float64 { x, _ := math.Lgamma(float64(n + 1)); return x }
		p := math.Exp(lg(k) - lg(t) - lg(k-t) + float64(t)*math.Log(r) + float64(k-t)*math.Log(1-r))
		if below += p; below > missed {
			return max(1, t)
		}
	}
	return k
}
