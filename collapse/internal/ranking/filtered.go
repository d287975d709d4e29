package ranking

import (
	"errors"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Filtered returns request for the documents that filter matches too, which may be nil.
func Filtered(request *bleve.SearchRequest, filter query.Query) (*bleve.SearchRequest, error) {
	switch {
	case filter == nil:
		return request, nil
	case indexes.NoQuery(filter):
		return nil, errors.New("collapse: filter: wanted a query, got a nil one")
	case HasKNN(request):
		return nil, errors.New("collapse: filter cannot be combined with vectors (knn), which have filters of their own")
	}
	both := bleve.NewBooleanQuery()
	both.AddMust(request.Query)
	both.AddFilter(filter)
	own := *request
	own.Query = both
	return &own, nil
}

// ByScore reports whether hits come by score, the best first.
func ByScore(r *bleve.SearchRequest) bool {
	if r.Score == "none" || len(r.Sort) == 0 {
		return r.Score != "none"
	}
	first, ok := r.Sort[0].(*search.SortScore)
	return ok && first.Desc
}
