package hits

import (
	"context"

	"github.com/blevesearch/bleve/v2"
)

// One Search asks its index several times: for hits, for more of them, for inner hits and texts. A member of an alias
// that fails once leaves something out. So the worst of all answers is the status of the result.

// anyIndex is bleve.Index under a name that, embedded, hides no method.
type anyIndex = bleve.Index

// Watched is an index that remembers the status of the worst search.
type Watched struct {
	anyIndex
	worst *bleve.SearchStatus
}

// Watch returns x, watched.
func Watch(x bleve.Index) *Watched { return &Watched{anyIndex: x} }

// Failed reports whether a search failed in part.
func (w *Watched) Failed() bool { return w.worst != nil }

// Worst returns the status of the search with the most failures, and found if no search had more.
func (w *Watched) Worst(found *bleve.SearchStatus) *bleve.SearchStatus {
	if w.worst != nil && (found == nil || w.worst.Failed > found.Failed) {
		return w.worst
	}
	return found
}

// SearchInContext implements bleve.Index.
func (w *Watched) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	res, err := w.anyIndex.SearchInContext(ctx, r)
	if err == nil {
		w.Saw(res)
	}
	return res, err
}

// Saw adds a search to those that Worst knows.
func (w *Watched) Saw(res *bleve.SearchResult) {
	if s := res.Status; s != nil && s.Failed > 0 && (w.worst == nil || s.Failed > w.worst.Failed) {
		w.worst = s
	}
}
