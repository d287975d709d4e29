//go:build !vectors

package hits

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// HasKNN reports whether a request searches for vectors.
func HasKNN(*bleve.SearchRequest) bool             { return false }
func copyKNN(_, _ *bleve.SearchRequest) (most int) { return 0 }

// KNNFilters are queries beside the query.
func KNNFilters(*bleve.SearchRequest) []query.Query { return nil }
