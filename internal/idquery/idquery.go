// Package idquery has bleve's query for documents by their ids, which are bytes, in a form
// that a remote index reads as it was written.
package idquery

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/search/query"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Member is the member of a custom filter which Parse reads:
//
//	{"custom_filter": {"neardup_ids": ["page 1", {"base64": "YYA="}]}}
const Member = "neardup_ids"

// Query matches the documents of some ids. The query in it is bleve's, of the same ids.
type Query struct{ *query.DocIDQuery }

// New returns bleve's own query where its JSON keeps the ids, and else a *Query.
func New(all []string) query.BoostableQuery {
	q := query.NewDocIDQuery(all)
	if strict.Valid(all...) {
		return q
	}
	return &Query{q}
}

type custom struct {
	Filter struct {
		IDs []strict.ID `json:"neardup_ids"`
	} `json:"custom_filter"`
	Boost *query.Boost `json:"boost,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (q *Query) MarshalJSON() ([]byte, error) {
	v := custom{Boost: q.BoostVal}
	v.Filter.IDs = strict.IDs(q.IDs)
	return strict.Marshal(v)
}

// Parse reads what MarshalJSON writes.
func Parse(data []byte) (query.Query, error) {
	var v custom
	if err := strict.Decode(data, &v); err != nil {
		return nil, fmt.Errorf("collapse: query: custom_filter: %s: %w", Member, err)
	}
	q := query.NewDocIDQuery(strict.Strings(v.Filter.IDs))
	q.BoostVal = v.Boost
	return &Query{q}, nil
}
