package hits

import (
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/stored"
)

// named returns the hits of these ids, among the matches of r that the caller keeps,
// with their signatures. They come in no order that counts, and others can come with them.
func (h *Hits) named(ctx context.Context, r bleve.SearchRequest, ids []string) ([]stored.Hit, error) {
	hits, err := ByIDs(ctx, h.search, r, ids)
	if err != nil {
		return nil, err
	}
	all := make([]stored.Hit, 0, len(hits))
	for _, hit := range hits {
		kept, err := h.keeps(hit)
		if err != nil {
			return nil, err
		}
		if !kept {
			continue
		}
		all = append(all, stored.Hit{DocumentMatch: hit})
		if err := h.read(&all[len(all)-1]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Wanted is what is to be told of hits.
type Wanted struct {
	Fields    []string
	Highlight *bleve.HighlightRequest
}

// Named returns the matches among some hits, by their places, with what is wanted of them: what the caller's request
// asks for if that is nil. What was deleted since is not among them.
func (h *Hits) Named(ctx context.Context, hits search.DocumentMatchCollection, w *Wanted) (map[Place]*search.DocumentMatch, error) {
	r := among(h.caller)
	if w == nil {
		r.Sort, w = Order(h.caller.Sort), &Wanted{h.caller.Fields, h.caller.Highlight}
	}
	r.Fields, r.Highlight = slices.Clone(w.Fields), w.Highlight
	r.Explain, r.IncludeLocations = h.caller.Explain, h.caller.IncludeLocations
	found, err := ByIDs(ctx, h.index.SearchInContext, r, idsOf(hits))
	of := make(map[Place]*search.DocumentMatch, len(found))
	for _, hit := range found {
		stored.Strip(hit, w.Fields)
		stripKey(hit, max(1, len(r.Sort)))
		of[PlaceOf(hit)] = hit
	}
	return of, err
}
