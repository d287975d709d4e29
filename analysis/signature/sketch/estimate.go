package sketch

import (
	"github.com/neardup/bleve-neardup/analysis/signature/internal/lanes"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
)

// Resemblance estimates the resemblance of two sets from sketches of k lanes that a Builder
// made. sizeA and sizeB are the numbers of distinct elements, or 0 if they are not known.
//
// The value is the share of lanes that agree. It is unbiased, except for the 2^-16 of the
// lanes that agree by chance. The standard error is that of independent lanes times the
// square root of lanes.Variance. If the sizes are not known it is that of independent lanes,
// which is the most it can be.
//
// It panics if one of the sketches has fewer lanes.
func Resemblance(a, b Sketch, k int, sizeA, sizeB uint64) resemblance.Estimate {
	agree := k - Differ(a, b)
	r := float64(agree) / float64(k)
	// |A∪B| = (|A|+|B|) / (1+r), and at least the larger set whatever the noise in r.
	union := max((float64(sizeA)+float64(sizeB))/(1+r), float64(sizeA), float64(sizeB))
	ratio, n := lanes.Variance(k, union), float64(k)
	// If the variance is ratio·r(1-r)/k, then ratio·p(1-p)/(k-ratio), with the observed p,
	// estimates it without bias.
	return resemblance.Sampled(agree, k, 1-ratio*(n-1)/(n-ratio))
}
