// Package lookup is what the queries of packages plugin/similar and plugin/passages have in common:
// they find all their matches before bleve asks for the first one, and are asked by a search of their own,
// whose page is the best hits.
package lookup

import (
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// CheckPage returns the size of a page, 10 if it is 0, or an error if the page is none, or the filter
// is a nil pointer.
func CheckPage(size, from int, filter query.Query) (int, error) {
	size, err := indexes.Page(size, from)
	if err != nil {
		return 0, err
	}
	if filter != nil && indexes.NoQuery(filter) {
		return 0, fmt.Errorf("filter: wanted a query, got a nil %T", filter)
	}
	if size == 0 {
		size = 10
	}
	return size, nil
}

// Request returns a search for the best matches of q that the filter matches too, which may be nil: by
// score, then by id. It loads the stored fields that are named, and others that stored.Strip takes out again.
func Request(q, filter query.Query, size, from int, named []string, added ...string) *bleve.SearchRequest {
	if filter != nil {
		filtered := query.NewBooleanQuery([]query.Query{q}, nil, nil)
		filtered.AddFilter(filter)
		q = filtered
	}
	r := bleve.NewSearchRequestOptions(q, size, from, false)
	r.SortBy([]string{"-_score", "_id"})
	if r.Fields = append(slices.Clone(named), added...); slices.Contains(named, "*") {
		r.Fields = []string{"*"} // bleve would load twice what is named besides
	}
	return r
}
