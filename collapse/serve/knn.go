//go:build vectors

package serve

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// filters are the queries that choose among which vectors neighbours are looked for.
func filters(r *bleve.SearchRequest) (all []query.Query) {
	for _, k := range r.KNN {
		if k != nil && k.FilterQuery != nil {
			all = append(all, k.FilterQuery)
		}
	}
	return all
}
