package hits

import (
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// ErrTooMany and ErrRequest are the errors of package collapse by these names.
var (
	ErrTooMany = errors.New("too many matches")
	ErrRequest = errors.New("invalid request")
)

// invalid is an error that wraps ErrRequest without repeating it.
type invalid struct{ error }

// Wrong returns an error that wraps ErrRequest without repeating it.
func Wrong(err error) error { return invalid{err} }

// Unwrap returns ErrRequest and the error itself.
func (e invalid) Unwrap() []error { return []error{ErrRequest, e.error} }

// Check returns an error for a request that has no page of hits.
func Check(r *bleve.SearchRequest) error {
	if r == nil || indexes.NoQuery(r.Query) {
		return errors.New("collapse: wanted a request with a query, got none")
	}
	r = indexes.Clipped(r)
	if _, err := indexes.Page(r.Size, r.From); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	if r.SearchAfter == nil && r.SearchBefore == nil {
		return nil
	}
	probe := *r
	if !bleve.IsScoreFusionRequested(r) {
		probe.Sort = Order(r.Sort)
	}
	if err := probe.Validate(); err != nil {
		return fmt.Errorf("collapse: wanted search_after or search_before as bleve takes it: %w", err)
	}
	return nil
}
