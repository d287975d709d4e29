package signature

import "github.com/neardup/bleve-neardup/analysis/signature/sketch"

// Resemblance estimates the resemblance of two documents from the lanes of their signatures. It is exactly 1 if
// their exact hashes agree. ok is false if there is nothing to estimate from: s and b were
// made with different parameters, or one text is shorter than a shingle and the other text
// differs from it.
//
// The standard error is 0 only if the exact hashes agree: if all lanes agree, or none does, it is
// sketch.Unanimous.
func (s *Signature) Resemblance(b *Signature) (r sketch.Estimate, ok bool) {
	if !alike(s, b) || s.Tokens == 0 || b.Tokens == 0 {
		return r, false
	}
	if s.Exact == b.Exact {
		return sketch.Estimate{Value: 1}, true
	}
	if s.Lanes == 0 || b.Lanes == 0 {
		return r, false
	}
	r = sketch.Resemblance(s.Sketch, b.Sketch, s.Lanes, s.Shingles, b.Shingles)
	if r.StdErr == 0 {
		r.StdErr = sketch.Unanimous(s.Lanes)
	}
	return r, true
}

// Containment estimates the share of each document's shingles that the other document has
// too, from their resemblance and the numbers of their shingles. It is exactly 1 if their
// exact hashes agree. ok is the same as for Resemblance.
func (s *Signature) Containment(b *Signature) (aInB, bInA sketch.Estimate, ok bool) {
	r, ok := s.Resemblance(b)
	if !ok || s.Exact == b.Exact {
		return r, r, ok
	}
	aInB, bInA = r.Containment(s.Shingles, b.Shingles)
	return aInB, bInA, true
}
