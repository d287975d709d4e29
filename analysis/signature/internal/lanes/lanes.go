// Package lanes says how many lanes of two sketches agree, as far as chance decides: [Variance] and [Least].
package lanes

import "math"

// Variance returns the variance of the share of k lanes that agree, divided by the r(1-r)/k
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
func Variance(k int, union float64) float64 {
	if union <= 1 {
		return 1 // not known, or a single element: then all lanes agree or none does
	}
	n, u := float64(k), union
	z := math.Exp(u * math.Log1p(-1/n))
	zz := math.Exp(u * math.Log1p(-2/n))
	same := (1 - 2*z + zz) * (1 - math.Pow(zz, n)) / (1 - zz)
	return u / (u - 1) * (1 - n/u + (n-1)*(1-same)/u)
}

// Least returns the number of lanes, of k, in which a pair of resemblance r agrees with a probability of
// 1-missed: the greatest t, 1 or more, for which P(Binomial(k, r) >= t) is at least that.
func Least(k int, r, missed float64) int {
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
