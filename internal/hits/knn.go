//go:build vectors

package hits

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// bleve searches for vectors beside the query, and merges what it finds into the hits.
// Its request has a place for them with the build tag vectors alone.

// HasKNN reports whether r searches for vectors.
func HasKNN(r *bleve.SearchRequest) bool { return len(r.KNN) > 0 }

// KNNFilters are the queries that choose among which vectors neighbours are looked for.
func KNNFilters(r *bleve.SearchRequest) (all []query.Query) {
	for _, knn := range r.KNN {
		if knn != nil && knn.FilterQuery != nil {
			all = append(all, knn.FilterQuery)
		}
	}
	return all
}

// copyKNN makes to search for the vectors that r searches for, and returns how many hits
// these can have, of one index.
func copyKNN(to, r *bleve.SearchRequest) (most int) {
	to.KNN, to.KNNOperator = r.KNN, r.KNNOperator
	for _, knn := range r.KNN {
		most += int(knn.K)
	}
	return most
}
