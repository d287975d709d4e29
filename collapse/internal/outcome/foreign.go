package outcome

import (
	"errors"
	"fmt"
	"maps"

	"github.com/blevesearch/bleve/v2"
)

// ErrForeign is the error of package collapse by this name.
var ErrForeign = errors.New("signatures of other parameters")

// AddForeign returns a status that tells how many hits of which index have foreign signatures.
func AddForeign(status *bleve.SearchStatus, of map[string]int) *bleve.SearchStatus {
	if len(of) == 0 || status == nil {
		return status
	}
	own := *status // which bleve may keep
	own.Errors = maps.Clone(own.Errors)
	if own.Errors == nil {
		own.Errors = make(bleve.IndexErrMap)
	}
	for name, hits := range of {
		if own.Errors[name] == nil {
			own.Errors[name] = fmt.Errorf("collapse: wanted signatures of the parameters (seed, width, ...) that the first hit's has, got %d hits with others, which match none of the first kind: backfill makes them anew: %w", hits, ErrForeign)
		}
	}
	return &own
}
