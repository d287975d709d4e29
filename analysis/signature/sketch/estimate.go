package sketch

import (
	"math"

	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
)

// Resemblance estimates the resemblance of two sets from sketches of k lanes that a Builder
// made. sizeA and sizeB are the numbers of distinct elements, or 0 if they are not known.
//
// The value is the share of lanes that agree. It is unbiased, except for the 2^-16 of the
// lanes that agree by chance. The standard error is that of independent lanes times the
// square root of variance. If the sizes are not known it is that of independent lanes,
// which is the most it can be.
//
// It panics if one of the sketches has fewer lanes.
func Resemblance(a, b Sketch, k int, sizeA, sizeB uint64) resemblance.Estimate {
	agree := k - Differ(a, b)
	r := float64(agree) / float64(k)
	// |A∪B| = (|A|+|B|) / (1+r), and at least the larger set whatever the noise in r.
	union := max((float64(sizeA)+float64(sizeB))/(1+r), float64(sizeA), float64(sizeB))
	ratio, lanes := variance(k, union), float64(k)
	// If the variance is ratio·r(1-r)/k, then ratio·p(1-p)/(k-ratio), with the observed p,
	// estimates it without bias.
	return resemblance.Sampled(agree, k, 1-ratio*(lanes-1)/(lanes-ratio))
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
