package signature

import (
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Resemblance estimates the resemblance of a and b from their lanes. It is exactly 1 if
// their exact hashes agree. ok is false if there is nothing to estimate from: a and b were
// made with different parameters, or one text is shorter than a shingle and the other text
// differs from it.
//
// The standard error is 0 only if the exact hashes agree: if all lanes agree, or none does, it is
// resemblance.Unanimous.
func Resemblance(a, b *Signature) (r resemblance.Estimate, ok bool) {
	if !alike(a, b) || a.Tokens == 0 || b.Tokens == 0 {
		return r, false
	}
	if a.Exact == b.Exact {
		return resemblance.Estimate{Value: 1}, true
	}
	if a.Lanes == 0 || b.Lanes == 0 {
		return r, false
	}
	r = sketch.Resemblance(a.Sketch, b.Sketch, a.Lanes, a.Shingles, b.Shingles)
	if r.StdErr == 0 {
		r.StdErr = resemblance.Unanimous(a.Lanes)
	}
	return r, true
}

// Containment estimates the share of each document's shingles that the other document has
// too, from their resemblance and the numbers of their shingles. It is exactly 1 if their
// exact hashes agree. ok is the same as for Resemblance.
func Containment(a, b *Signature) (aInB, bInA resemblance.Estimate, ok bool) {
	r, ok := Resemblance(a, b)
	if !ok || a.Exact == b.Exact {
		return r, r, ok
	}
	aInB, bInA = r.Containment(a.Shingles, b.Shingles)
	return aInB, bInA, true
}
