package serve

import (
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Parser returns a parser of custom filters that reads a collapse.Query from JSON, and queries
// for ids that are not UTF-8, as collapse.Search asks remote indexes for them, and leaves
// all others to next, which may be nil. bleve has a single place for such a parser,
// so it is for the application to put it there, before any query is parsed:
//
//	query.CustomFilterQueryParser = serve.Parser(query.CustomFilterQueryParser)
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return indexes.Parser("collapse", indexes.IDMember, indexes.ParseIDs, indexes.Parser("collapse", "collapse", func(data []byte) (query.Query, error) {
		q := new(collapse.Query)
		return q, q.UnmarshalJSON(data)
	}, next))
}
