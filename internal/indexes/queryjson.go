package indexes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// ParseQuery reads a query from JSON.
type ParseQuery = func([]byte) (query.Query, error)

// Parser returns a parser of custom filters, the one member of bleve's query language that others may give a meaning to. It reads those that
// have the member with parse, and leaves all others to next, which may be nil. Errors begin with the name of the package that asks.
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

// IDMember is the member of a custom filter which ParseIDs reads:
//
//	{"custom_filter": {"neardup_ids": ["page 1", {"base64": "YYA="}]}}
const IDMember = "neardup_ids"

// IDQuery matches the documents of some ids, in a form that a remote index reads as it was written: the ids are bytes. The
// query in it is bleve's, of the same ids.
type IDQuery struct{ *query.DocIDQuery }

// ByID returns bleve's own query where its JSON keeps the ids, and else an *IDQuery.
func ByID(all []string) query.BoostableQuery {
	q := query.NewDocIDQuery(all)
	if strict.Valid(all...) {
		return q
	}
	return &IDQuery{q}
}

type custom struct {
	Filter struct {
		IDs []strict.ID `json:"neardup_ids"`
	} `json:"custom_filter"`
	Boost *query.Boost `json:"boost,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (q *IDQuery) MarshalJSON() ([]byte, error) {
	v := custom{Boost: q.BoostVal}
	v.Filter.IDs = strict.IDs(q.IDs)
	return strict.Marshal(v)
}

// ParseIDs reads what MarshalJSON writes.
func ParseIDs(data []byte) (query.Query, error) {
	var v custom
	if err := strict.Decode(data, &v); err != nil {
		return nil, fmt.Errorf("collapse: query: custom_filter: %s: %w", IDMember, err)
	}
	q := query.NewDocIDQuery(strict.Strings(v.Filter.IDs))
	q.BoostVal = v.Boost
	return &IDQuery{q}, nil
}
