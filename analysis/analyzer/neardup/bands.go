package neardup

import (
	"cmp"

	"github.com/neardup/bleve-neardup/analysis/token/band"
)

// Bands returns the plan of the candidate keys among the terms that a emits, and
// false if it emits none: on a plain bleve index, or on one of type neardup.
func (a *Analyzer) Bands(plain bool) (plan band.Plan, ok bool) {
	terms := a.terms
	if plain {
		terms = cmp.Or(terms, termsBands)
	}
	return a.plan, terms == termsBands
}
