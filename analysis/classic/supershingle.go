package classic

import (
	"fmt"
	"math"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// Plan says how lanes are grouped into supershingles, and how many of these two duplicates
// have in common. A supershingle is a feature of 64 bits: the hash of a group of lanes of a
// MinHash sketch (Broder, Glassman, Manasse, Zweig, "Syntactic clustering of the web",
// 1997). [SupershinglesOf] makes them.
//
// A feature agrees between two documents if all lanes of its group do, which has
// probability r^width at resemblance r. So a few agreeing features distinguish near-copies
// from all other documents without comparing lanes, and each feature can be looked up.
// Fetterly, Manasse and Najork ("On the evolution of clusters of near-duplicate web pages",
// 2003) took 84 lanes in 6 groups of 14, and called documents near-duplicates if at least 2
// features agree. With independent lanes this accepts a pair of resemblance r with
// probability
//
//	r          .5     .8    .9    .95   .99
//	accepted   6e-8   .026  .415  .879  .9998
//
// by the formula of [Plan.Probability]. The lanes of package sketch share out the elements
// of small sets, so they err less in both directions. Of pairs of sets of 20 shingles with
// resemblance .82 they accept 2.9 %, where the formula gives 4.6 %. Of pairs of 200
// shingles with resemblance .95 they accept 90.9 %, where it gives 88.7 %. At 1,000
// shingles there is no difference worth mentioning (go test -v -run Accepted).
type Plan struct {
	// Groups is the number of features, 1 to MaxGroups.
	Groups int

	// Width is the number of lanes in a group, 1 or more. Groups·Width must not be more
	// than sketch.MaxLanes; further lanes of a sketch are ignored.
	Width int

	// Need is the least number of features in common, 1 to Groups.
	Need int
}

// DefaultPlan returns the plan of the literature: 2 of 6 features of 14 lanes each.
func DefaultPlan() Plan { return Plan{Groups: 6, Width: 14, Need: 2} }

// MaxGroups is the greatest number of groups.
const MaxGroups = 64

// Validate returns an error that names the first field out of range.
func (p Plan) Validate() error {
	if p.Groups < 1 || p.Groups > MaxGroups {
		return fmt.Errorf("supershingle: groups: wanted 1 to %d, got %d", MaxGroups, p.Groups)
	}
	if most := sketch.MaxLanes / p.Groups; p.Width < 1 || p.Width > most {
		return fmt.Errorf("supershingle: width: wanted 1 to %d for %d groups, got %d", most, p.Groups, p.Width)
	}
	if p.Need < 1 || p.Need > p.Groups {
		return fmt.Errorf("supershingle: need: wanted 1 to %d, got %d", p.Groups, p.Need)
	}
	return nil
}

// Probability returns the probability that two documents of resemblance r have at least
// Need features in common, if lanes are independent: with q = r^Width, the sum over i from
// Need to Groups of C(Groups, i) q^i (1-q)^(Groups-i).
func (p Plan) Probability(r float64) float64 {
	q, sum := math.Pow(r, float64(p.Width)), 0.
	choose := 1. // C(Groups, i)
	for i := range p.Groups + 1 {
		if i >= p.Need {
			sum += choose * math.Pow(q, float64(i)) * math.Pow(1-q, float64(p.Groups-i))
		}
		choose *= float64(p.Groups-i) / float64(i+1)
	}
	return sum
}

// Supershingles holds the supershingles of a document.
type Supershingles struct {
	// Params identifies how the lanes were made and grouped. Sketches can be compared only
	// if their Params are equal.
	Params uint32

	// Features are the supershingles, one for each group. A document without lanes has
	// none.
	Features []uint64
}

// SupershinglesOf returns the supershingles of lanes. There must be at least Groups·Width lanes, or none
// if the document has no shingles. params identifies how the lanes were made: it is the
// Params of their signature.Signature. SupershinglesOf panics if p is not valid.
//
// Feature i is the key of band i of p.Groups over the first Groups·Width lanes, as package
// band makes it.
func SupershinglesOf(p Plan, lanes sketch.Sketch, params uint32) Supershingles {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	s := Supershingles{Params: codec.ID(codec.Supershingle, uint64(params), uint64(p.Groups), uint64(p.Width))}
	if len(lanes) == 0 {
		return s
	}
	s.Features = make([]uint64, p.Groups)
	for i := range s.Features {
		s.Features[i] = lanes.Band(p.Groups*p.Width, p.Groups, i)
	}
	return s
}

// SupershinglesAgree returns the number of features in common, or 0 if the sketches were made with
// different Params or a sketch is nil.
func SupershinglesAgree(a, b *Supershingles) (n int) {
	if a == nil || b == nil || a.Params != b.Params || len(a.Features) != len(b.Features) {
		return 0
	}
	for i, f := range a.Features {
		if f == b.Features[i] {
			n++
		}
	}
	return n
}

// Duplicates reports whether at least Need features agree.
func (p Plan) Duplicates(a, b *Supershingles) bool { return SupershinglesAgree(a, b) >= p.Need }
