package neardup

import (
	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/internal/filter"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/analysis/token/band"
)

// Bands returns the plan of the candidate keys that a emits as terms, on a plain bleve
// index or on an index of type neardup. ok is false if it emits none.
func (a *Analyzer) Bands(plain bool) (plan band.Plan, ok bool) { return a.terms.Bands(plain) }

// PassageTerms returns the terms by which selected fingerprints are looked up, one for each value, in their
// order. ok is false if a emits none.
func (a *Analyzer) PassageTerms(p winnow.Prints) (terms analysis.TokenStream, ok bool) {
	if !a.terms.Passages {
		return nil, false
	}
	return filter.Terms(p.Values, 0), true
}
