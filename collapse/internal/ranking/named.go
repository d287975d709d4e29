package ranking

import (
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/idquery"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// named returns the hits of these ids, among the matches of r that the caller keeps,
// with their signatures. They come in no order that counts, and others can come with them.
func (h *Hits) named(ctx context.Context, r bleve.SearchRequest, ids []string) ([]stored.Hit, error) {
	hits, err := Named(ctx, h.source.search, r, ids)
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

// Among returns a request for matches of r, without anything else that r asks for.
func Among(r *bleve.SearchRequest) bleve.SearchRequest {
	own := bleve.SearchRequest{Query: r.Query}
	copyKNN(&own, r)
	return own
}

// Named searches for the documents of these ids, among the matches of r if it has a query,
// and can find other matches besides. What it finds is in r's order.
func Named(ctx context.Context, find func(context.Context, *bleve.SearchRequest) (*bleve.SearchResult, error), r bleve.SearchRequest, names []string) (search.DocumentMatchCollection, error) {
	if len(names) == 0 {
		return nil, nil
	}
	ids := slices.Compact(slices.Sorted(slices.Values(names)))
	byID := idquery.New(ids)
	var q query.Query = byID
	if r.Query != nil {
		byID.SetBoost(0) // the score is the score of r's query
		q = bleve.NewConjunctionQuery(r.Query, q)
	}
	// Two members of an alias can have a document of the same id.
	for r.Size = 2*len(ids) + copyKNN(&r, &r); ; {
		one := r // bleve changes what it is given
		one.Query, one.Sort = q, Order(r.Sort)
		res, err := find(ctx, &one)
		if err != nil {
			return nil, err
		}
		if res.Total <= uint64(r.Size) {
			if ofSeveral(res.Hits) {
				return settle(Order(r.Sort), res.Hits, true), nil // which an alias gives in another order each time
			}
			return res.Hits, nil
		}
		r.Size = int(res.Total)
	}
}
