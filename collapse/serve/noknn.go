//go:build !vectors

package serve

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// filters are queries beside the query: without the build tag vectors, bleve has none.
func filters(*bleve.SearchRequest) []query.Query { return nil }
