package collapse

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// In JSON a Query is
//
//	{"custom_filter": {"collapse": {"visible": 2, "head": ["-date"]}, "query": {"match": "fox"}}}
//
// because custom_filter is the one member of bleve's query language whose meaning is free.

type queryJSON struct {
	Filter struct {
		Collapse *Options        `json:"collapse"`
		Query    json.RawMessage `json:"query"`
	} `json:"custom_filter"`
}

// MarshalJSON writes q for a remote index, whose process must have the
// Parser of package collapse/serve in place.
func (q *Query) MarshalJSON() ([]byte, error) {
	inner, err := json.Marshal(q.inner)
	if err != nil {
		return nil, err
	}
	var v queryJSON
	v.Filter.Collapse, v.Filter.Query = &q.options, inner
	return json.Marshal(v)
}

// UnmarshalJSON reads what MarshalJSON writes; unknown members are errors.
func (q *Query) UnmarshalJSON(data []byte) error {
	var v queryJSON
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("collapse: query: %w", err)
	}
	if v.Filter.Collapse == nil {
		return errors.New(`collapse: query: custom_filter: wanted a member "collapse", got none`)
	}
	inner, err := query.ParseQuery(v.Filter.Query)
	if err != nil {
		return fmt.Errorf("collapse: query: %w", err)
	}
	read := NewQuery(inner, *v.Filter.Collapse)
	if err := read.Validate(); err != nil {
		return err
	}
	*q = *read
	return nil
}
