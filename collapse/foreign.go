package collapse

import (
	"errors"
	"fmt"
	"maps"

	"github.com/blevesearch/bleve/v2"
)

// ErrForeign is wrapped by errors in Result.Status which tell that signatures of an index
// were made with other parameters than the first that was met, such as another seed or
// width, and match nothing of those. The index has answered: it does not count as failed.
var ErrForeign = errors.New("signatures of other parameters")

// tellForeign puts into the status how many hits of which index have foreign signatures.
func (r *Result) tellForeign(of map[string]int) {
	if len(of) == 0 || r.Status == nil {
		return
	}
	status := *r.Status // which bleve may keep
	status.Errors = maps.Clone(status.Errors)
	if status.Errors == nil {
		status.Errors = make(bleve.IndexErrMap)
	}
	for name, hits := range of {
		if status.Errors[name] == nil {
			status.Errors[name] = fmt.Errorf("collapse: wanted signatures of the parameters (seed, width, ...) that the first hit's has, got %d hits with others, which match none of the first kind: backfill makes them anew: %w", hits, ErrForeign)
		}
	}
	r.Status = &status
}
