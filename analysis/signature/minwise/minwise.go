// Package minwise makes MinHash sketches the classic way: each of k lanes has a
// random permutation of its own, and holds the least element of the set under it
// (Broder, Charikar, Frieze, Mitzenmacher, "Min-wise independent permutations",
// STOC 1998).
//
// A lane agrees between two sets with a probability equal to their resemblance r,
// and the lanes are independent: the number of those that agree is binomial. That
// makes it the yardstick for package sketch, which never varies more and takes a few
// per cent of the time (BenchmarkOf here, BenchmarkBuilder there). The permutation
// of lane i is
//
//	Mix(Mix(Mix(seed, 10), i), x)
//
// the output function of splitmix64 over x times a constant plus a key: a bijection
// of 64-bit numbers, so that two elements never tie. It is not min-wise independent
// in the strict sense, which takes exponentially large families.
package minwise

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/codec"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Params says how sketches are made. Only those made with the same Params can be
// compared.
type Params struct {
	// Lanes is the number of lanes, 16 to 1024. Common are 100 and 200.
	Lanes int

	// Seed selects the permutations.
	Seed uint64
}

// Validate returns an error if the number of lanes is out of range.
func (p Params) Validate() error {
	if p.Lanes < sketch.MinLanes || p.Lanes > sketch.MaxLanes {
		return fmt.Errorf("minwise: lanes: wanted %d to %d, got %d", sketch.MinLanes, sketch.MaxLanes, p.Lanes)
	}
	return nil
}

// seedIndex is the constant of the seed that the keys of the lanes come from.
const seedIndex = 10

// Of returns the sketch of a set of fingerprints, which may repeat. It panics if p is
// not valid.
func Of(p Params, fingerprints []uint64) sketch.Full {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	f := sketch.Full{
		Params: codec.ID(codec.Lanes, 1, uint64(p.Lanes), p.Seed),
		Lanes:  make([]uint64, p.Lanes),
	}
	seed := token.Mix(p.Seed, seedIndex)
	for i := range f.Lanes {
		key, least := token.Mix(seed, uint64(i)), ^uint64(0)
		for _, x := range fingerprints {
			least = min(least, token.Mix(key, x))
		}
		f.Lanes[i] = least
	}
	return f
}

// Resemblance estimates the resemblance of two sets from sketches that Of made: the
// share of lanes that agree, which is unbiased, with the standard error of the
// binomial. ok is false if the sketches were made with different Params, or one is
// of an empty set.
func Resemblance(a, b *sketch.Full) (r resemblance.Estimate, ok bool) {
	if a.Params != b.Params || len(a.Lanes) != len(b.Lanes) || a.Empty() || b.Empty() {
		return r, false
	}
	agree := 0
	for i, v := range a.Lanes {
		if v == b.Lanes[i] {
			agree++
		}
	}
	return resemblance.Sampled(agree, len(a.Lanes), 0), true
}
