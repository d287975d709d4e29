package serve

import (
	"encoding/json"
	"fmt"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/idquery"
)

// Parser returns a parser of custom filters that reads a collapse.Query from JSON, and queries
// for ids that are not UTF-8, as collapse.Search asks remote indexes for them, and leaves
// all others to next, which may be nil. bleve has a single place for such a parser,
// so it is for the application to put it there, before any query is parsed:
//
//	query.CustomFilterQueryParser = serve.Parser(query.CustomFilterQueryParser)
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return func(data []byte) (query.Query, error) {
		var known struct {
			Filter map[string]json.RawMessage `json:"custom_filter"`
		}
		if err := json.Unmarshal(data, &known); err != nil {
			return nil, fmt.Errorf("collapse: query: %w", err)
		}
		switch {
		case known.Filter["collapse"] != nil:
			q := new(collapse.Query)
			return q, q.UnmarshalJSON(data)
		case known.Filter[idquery.Member] != nil:
			q, err := idquery.Parse(data)
			if err != nil {
				return nil, fmt.Errorf("collapse: query: %w", err)
			}
			return q, nil
		}
		if next == nil {
			return nil, fmt.Errorf("collapse: query: custom_filter: wanted a member \"collapse\", got none")
		}
		return next(data)
	}
}
