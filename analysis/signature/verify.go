package signature

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Verify says how the texts of two documents confirm what their signatures propose. With it the
// sketch proposes and the text decides: a pair counts only if the stored texts confirm it. The
// zero Verify is off: the rule decides, by the signatures.
//
// The shares are exact. They are of the shingles that the documents were signed by.
type Verify struct {
	// Resemblance is the least resemblance that confirms a pair, .3 to 1. The sketch then works
	// at a lower threshold: see Proposes. 0 confirms nothing.
	Resemblance float64 `json:"resemblance,omitempty"`

	// Contained makes it enough that one text has every shingle of the other, for example of an
	// excerpt. Pairs are proposed by their resemblance, as without it: an excerpt of less than
	// half a text is not found.
	Contained bool `json:"contained,omitempty"`
}

// leastVerified is the least resemblance that can be asked for: at a lower one the sketch proposes
// pairs that agree in a dozen lanes, and every lookup meets a good part of a large index.
const leastVerified = .3

// On reports whether texts decide.
func (v Verify) On() bool { return v != Verify{} }

// Validate returns an error for a resemblance out of range.
func (v Verify) Validate() error {
	if r := v.Resemblance; r != 0 && !(r >= leastVerified && r <= 1) {
		return fmt.Errorf("verify: resemblance: wanted %v to 1, or 0, got %v", leastVerified, r)
	}
	return nil
}

// Confirms reports whether two texts are near-duplicates that have so many shingles, and share so
// many. Texts without a shingle share none.
func (v Verify) Confirms(shared, a, b int) bool {
	if shared == 0 {
		return false
	}
	return v.Resemblance > 0 && float64(shared)/float64(a+b-shared) >= v.Resemblance || v.Contained && shared == min(a, b)
}

// Proposes returns the rule by which pairs are proposed where texts decide; rule is what decides
// without. The rule proposes every pair that rule accepts, and every pair that agrees in Lanes(k)
// of k lanes.
func (v Verify) Proposes(rule Rule, k int) Rule {
	if v.Resemblance == 0 || k <= 0 {
		return rule
	}
	rule.Lanes, rule.LongLanes = min(rule.Need(k, 0), v.Lanes(k)), 0
	switch rule.Mode {
	case SimhashOnly:
		rule.Mode = Either
	case Both, ExactOnly:
		rule.Mode = SketchOnly
	}
	return rule
}

// Lanes returns the number of lanes, of k, in which a pair of the asked resemblance agrees with a
// probability of .999: each lane agrees with a probability equal to the resemblance, so it is the
// greatest t for which P(Binomial(k, Resemblance) >= t) is at least .999. For 100 lanes it is 67
// at .8, 80 at .9 and 87 at .95. A sketch of few lanes has the least, 1. k counts as sketch.MaxLanes if
// it is more.
func (v Verify) Lanes(k int) int {
	const missed = .001
	return sketch.Least(k, v.Resemblance, missed)
}
