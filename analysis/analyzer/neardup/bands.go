package neardup

import (
	"cmp"

	"github.com/neardup/bleve-neardup/analysis/token/band"
)

// Bands returns the plan of the candidate keys that a emits as terms, on a plain bleve
// index or on an index of type neardup. ok is false if it emits none.
func (a *Analyzer) Bands(plain bool) (plan band.Plan, ok bool) {
	terms := a.terms
	if plain {
		terms = cmp.Or(terms, termsBands)
	}
	return a.plan, terms == termsBands
}
