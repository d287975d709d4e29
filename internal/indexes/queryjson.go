package indexes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
)

// ParseQuery reads a query from JSON.
type ParseQuery = func([]byte) (query.Query, error)

// Parser returns a parser of custom filters, the one member of bleve's query language that others may give a meaning
// to. It reads those that have the member with parse, and leaves all others to next, which may be nil. Errors begin
// with the name of the package that asks.
func Parser(who, member string, parse, next ParseQuery) ParseQuery {
	return func(data []byte) (query.Query, error) {
		var known struct {
			Filter map[string]json.RawMessage `json:"custom_filter"`
		}
		if err := json.Unmarshal(data, &known); err != nil {
			return nil, fmt.Errorf("%s: query: %w", who, err)
		}
		switch {
		case known.Filter[member] != nil:
			return parse(data)
		case next != nil:
			return next(data)
		}
		return nil, fmt.Errorf("%s: query: custom_filter: wanted a member that a parser is in place for, such as %q, got %q", who, member, slices.Sorted(maps.Keys(known.Filter)))
	}
}

// Order reads a sort order as bleve writes it, nil if it is empty. The error begins with what.
func Order(what string, parts []json.RawMessage) (search.SortOrder, error) {
	order, err := search.ParseSortOrderJSON(parts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if len(order) == 0 {
		return nil, nil
	}
	return order, nil
}
