package verify

import (
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Text is the set of shingles of a text, in ascending order.
type Text struct{ shingles []uint64 }

// newText returns the Text of a signed document. A text that is shorter than a shingle counts as
// one shingle: it resembles an equal text and no other.
func newText(sig *signature.Signature, shingles []uint64) *Text {
	if len(shingles) == 0 && sig.Tokens > 0 {
		shingles = []uint64{sig.Exact}
	}
	slices.Sort(shingles)
	return &Text{shingles}
}

// Shares is how many shingles two texts share, and how many each has.
type Shares struct{ Shared, A, B int }

// Compare counts the shingles of two texts.
func Compare(a, b *Text) Shares {
	s := Shares{A: len(a.shingles), B: len(b.shingles)}
	for i, j := 0, 0; i < s.A && j < s.B; {
		x, y := a.shingles[i], b.shingles[j]
		if x == y {
			s.Shared++
		}
		if x <= y {
			i++
		}
		if x >= y {
			j++
		}
	}
	return s
}

// Union is how many shingles there are in all.
func (s Shares) Union() int { return s.A + s.B - s.Shared }

// Resemblance is exact.
func (s Shares) Resemblance() sketch.Estimate { return share(s.Shared, s.Union()) }

// Containment returns the share of a's shingles that b has, and of b's that a has. Both are exact.
func (s Shares) Containment() (aInB, bInA sketch.Estimate) {
	return share(s.Shared, s.A), share(s.Shared, s.B)
}

func share(n, of int) sketch.Estimate {
	return sketch.Estimate{Value: float64(n) / float64(max(1, of))}
}
