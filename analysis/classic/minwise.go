package classic

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// MinwiseParams says how MinHash sketches are made the classic way: each of k lanes has a
// random permutation of its own, and holds the least element of the set under it (Broder,
// Charikar, Frieze, Mitzenmacher, "Min-wise independent permutations", STOC 1998).
// [MinwiseOf] makes a sketch, and [MinwiseResemblance] compares two.
//
// A lane agrees between two sets with a probability equal to their resemblance r, and the
// lanes are independent, so the number of lanes that agree is binomial. This makes these
// sketches the yardstick for package sketch, whose estimates never vary more and which takes
// a few per cent of the time (BenchmarkMinwiseOf here, BenchmarkBuilder there). The
// permutation of lane i is
//
//	Mix(Mix(Mix(seed, 10), i), x)
//
// the output function of splitmix64 of x times a constant plus a key. It is a bijection of
// 64-bit numbers, so two elements never tie. It is not min-wise independent in the strict
// sense, for which exponentially large families are needed.
//
// Sketches can be compared only if they were made with the same MinwiseParams.
type MinwiseParams struct {
	// Lanes is the number of lanes, 16 to 1024. 100 and 200 are common.
	Lanes int

	// Seed selects the permutations.
	Seed uint64
}

// Validate returns an error if the number of lanes is out of range.
func (p MinwiseParams) Validate() error {
	if p.Lanes < sketch.MinLanes || p.Lanes > sketch.MaxLanes {
		return fmt.Errorf("minwise: lanes: wanted %d to %d, got %d", sketch.MinLanes, sketch.MaxLanes, p.Lanes)
	}
	return nil
}

// Minwise is a MinHash sketch with lanes of 64 bits.
type Minwise struct {
	// Params identifies the MinwiseParams that the sketch was made with.
	Params uint32

	// Lanes are the lanes; all have the greatest value if the set is empty.
	Lanes []uint64
}

func (s *Minwise) empty() bool { return len(s.Lanes) == 0 || s.Lanes[0] == ^uint64(0) }

// minwiseSeed selects the constant of the seed from which the keys of the lanes come.
const minwiseSeed = 10

// MinwiseOf returns the sketch of a set of fingerprints, which can contain repetitions. It panics
// if p is not valid.
func MinwiseOf(p MinwiseParams, fingerprints []uint64) Minwise {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	f := Minwise{codec.ID(codec.Lanes, 1, uint64(p.Lanes), p.Seed), make([]uint64, p.Lanes)}
	seed := token.Mix(p.Seed, minwiseSeed)
	for i := range f.Lanes {
		key, least := token.Mix(seed, uint64(i)), ^uint64(0)
		for _, x := range fingerprints {
			least = min(least, token.Mix(key, x))
		}
		f.Lanes[i] = least
	}
	return f
}

// MinwiseResemblance estimates the resemblance of two sets from sketches that MinwiseOf made. The value
// is the share of lanes that agree, which is unbiased; the standard error is that of the
// binomial. ok is false if the sketches were made with different MinwiseParams, or one set is
// empty, or a sketch is nil.
func MinwiseResemblance(a, b *Minwise) (r sketch.Estimate, ok bool) {
	if a == nil || b == nil || a.Params != b.Params || len(a.Lanes) != len(b.Lanes) || a.empty() || b.empty() {
		return r, false
	}
	agree := 0
	for i, v := range a.Lanes {
		if v == b.Lanes[i] {
			agree++
		}
	}
	return sketch.Sampled(agree, len(a.Lanes), 0), true
}
