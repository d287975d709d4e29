package collapse

import (
	"context"

	"github.com/blevesearch/bleve/v2"
)

// One Search asks its index several times: for heads of the pages before, for hits, for
// more of them, for inner hits and texts. A member of an alias that answers most of
// these, and fails once, leaves something out all the same. So the worst of all answers
// is what the result tells.

// anyIndex is bleve.Index under a name that, embedded, hides no method.
type anyIndex = bleve.Index

// watched is an index that remembers the status of the worst search.
type watched struct {
	anyIndex
	worst *bleve.SearchStatus
}

// SearchInContext implements bleve.Index.
func (w *watched) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	res, err := w.anyIndex.SearchInContext(ctx, r)
	if err == nil && failed(res) > 0 && (w.worst == nil || failed(res) > w.worst.Failed) {
		w.worst = res.Status
	}
	return res, err
}

// complete completes r, and tells what failed and what its counts are worth.
func (w *watched) complete(ctx context.Context, request *bleve.SearchRequest, o Options, r *Result) error {
	if o.Whole { // beyond the budget: total and facets are not those of the collapsed set
		r.TotalGroupsRelation = AtLeast
	}
	err := complete(ctx, w, request, o, r)
	if w.worst != nil {
		r.Status, r.TotalGroupsRelation = w.worst, AtLeast
	}
	return err
}

// failed is the number of an alias's members that did not answer.
func failed(r *bleve.SearchResult) int {
	if r.Status == nil {
		return 0
	}
	return r.Status.Failed
}
