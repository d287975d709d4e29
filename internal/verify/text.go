package verify

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Text is the set of shingles of a text. It is not safe for concurrent use.
type Text struct {
	shingles []uint64
	slots    []uint32 // open addressing: a position plus 1, 0 is free; nil until they are needed
	shift    int
}

// newText returns the Text of a signed document. A text that is shorter than a shingle counts as
// one shingle: it resembles an equal text and no other.
func newText(sig *signature.Signature, shingles []uint64) *Text {
	if len(shingles) == 0 && sig.Tokens > 0 {
		shingles = []uint64{sig.Exact}
	}
	return &Text{shingles: shingles}
}

// size is the memory that t takes, in bytes.
func (t *Text) size() int { return 8*len(t.shingles) + 4*len(t.slots) + 80 }

// spread makes the place of a fingerprint: some kinds of fingerprint are not random in their upper bits.
const spread = 0x9e3779b97f4a7c15

func (t *Text) fill() {
	n := max(16, 1<<bits.Len(uint(2*len(t.shingles))))
	t.slots, t.shift = make([]uint32, n), 65-bits.Len(uint(n))
	for at, f := range t.shingles {
		i := f * spread >> t.shift
		for t.slots[i] != 0 {
			i = (i + 1) & uint64(n-1)
		}
		t.slots[i] = uint32(at + 1)
	}
}

func (t *Text) has(f uint64) bool {
	for i := f * spread >> t.shift; t.slots[i] != 0; i = (i + 1) & uint64(len(t.slots)-1) {
		if t.shingles[t.slots[i]-1] == f {
			return true
		}
	}
	return false
}

// Shares is how many shingles two texts share, and how many each has.
type Shares struct{ Shared, A, B int }

// Compare counts the shingles of two texts. It takes less time if a is the same as before.
func Compare(a, b *Text) Shares {
	if a.slots == nil {
		a.fill()
	}
	s := Shares{A: len(a.shingles), B: len(b.shingles)}
	for _, f := range b.shingles {
		if a.has(f) {
			s.Shared++
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
