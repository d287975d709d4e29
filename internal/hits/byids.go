package hits

import (
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
)

func idsOf(hits search.DocumentMatchCollection) []string {
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	return ids
}

// among returns a request for matches of r, without anything else that r asks for.
func among(r *bleve.SearchRequest) bleve.SearchRequest {
	own := bleve.SearchRequest{Query: r.Query}
	copyKNN(&own, r)
	return own
}

// A finder is bleve's SearchInContext.
type finder = func(context.Context, *bleve.SearchRequest) (*bleve.SearchResult, error)

// ByIDs searches for the documents of these ids, among the matches of r if it has a query,
// and can find other matches besides. What it finds is in r's order.
//
// A conjunction with the ids skips all other matches of the query. bleve's boolean searcher loses the score
// of clauses that should match where it is made to skip, so such a query is asked for all of its matches, of which
// the ids are a filter. Of nested documents a filter sees the parts that match: then the conjunction finds more.
func ByIDs(ctx context.Context, find finder, r bleve.SearchRequest, names []string) (
	hits search.DocumentMatchCollection, err error,
) {
	if len(names) == 0 {
		return nil, nil
	}
	ids := slices.Compact(slices.Sorted(slices.Values(names)))
	byID := query.NewDocIDQuery(ids)
	if r.Query == nil {
		return matches(ctx, find, r, byID, len(ids))
	}
	var filtered search.DocumentMatchCollection
	if mayLoseScore(r.Query) {
		q := bleve.NewBooleanQuery()
		q.AddMust(r.Query)
		q.AddFilter(byID)
		hits, err := matches(ctx, find, r, q, len(ids))
		if err != nil || len(hits) >= len(ids) {
			return hits, err
		}
		filtered = hits
	}
	byID.SetBoost(0) // the score is the score of r's query
	hits, err = matches(ctx, find, r, bleve.NewConjunctionQuery(r.Query, byID), len(ids))
	if err == nil && len(hits) == len(filtered) {
		hits = filtered
	}
	return hits, err
}

// mayLoseScore reports whether q has a boolean query with clauses that should match beside others.
func mayLoseScore(q query.Query) bool {
	switch q := q.(type) {
	case *query.BooleanQuery:
		return q.Should != nil && (q.Must != nil || q.MustNot != nil) || mayLoseScore(q.Must) || mayLoseScore(q.Should)
	case *query.ConjunctionQuery:
		return slices.ContainsFunc(q.Conjuncts, mayLoseScore)
	case *query.DisjunctionQuery:
		return slices.ContainsFunc(q.Disjuncts, mayLoseScore)
	case *query.QueryStringQuery, *query.CustomFilterQuery, *query.CustomScoreQuery: // which can have any in them
		return true
	}
	return false
}

// matches searches for what q matches, which are about n documents, in r's order.
func matches(ctx context.Context, find finder, r bleve.SearchRequest, q query.Query, n int) (
	search.DocumentMatchCollection, error,
) {
	// Two members of an alias can have a document of the same id.
	for r.Size = 2*n + copyKNN(&r, &r); ; {
		one := r // bleve changes what it is given
		one.Query, one.Sort = q, Order(r.Sort)
		res, err := find(ctx, &one)
		if err != nil {
			return nil, err
		}
		if res.Total <= uint64(r.Size) {
			if slices.ContainsFunc(res.Hits, func(hit *search.DocumentMatch) bool { return hit.Index != res.Hits[0].Index }) {
				return settle(Order(r.Sort), res.Hits, true), nil // an alias gives them in another order each time
			}
			return res.Hits, nil
		}
		r.Size = int(res.Total)
	}
}
