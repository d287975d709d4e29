package collapse

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/idquery"
)

// In JSON a Query is
//
//	{"custom_filter": {"collapse": {"visible": 2, "head": ["-date"]}, "query": {"match": "fox"}}}
//
// because custom_filter is the one member of bleve's query language that others may
// give a meaning to.

type queryJSON struct {
	Filter struct {
		Collapse *QueryOptions   `json:"collapse"`
		Query    json.RawMessage `json:"query"`
	} `json:"custom_filter"`
}

// MarshalJSON writes q for a remote index, whose process must have Parser in
// place.
func (q *Query) MarshalJSON() ([]byte, error) {
	inner, err := json.Marshal(q.inner)
	if err != nil {
		return nil, err
	}
	var v queryJSON
	v.Filter.Collapse, v.Filter.Query = &q.options, inner
	return json.Marshal(v)
}

// Parser returns a parser of custom filters that reads a Query from JSON, and queries for
// ids that are not UTF-8, as Search asks remote indexes for them, and leaves all others to
// next, which may be nil. bleve has a single place for such a parser,
// so it is for the application to put it there, before any query is parsed:
//
//	query.CustomFilterQueryParser = collapse.Parser(query.CustomFilterQueryParser)
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
			return parseQuery(data)
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

func parseQuery(data []byte) (query.Query, error) {
	var v queryJSON
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("collapse: query: %w", err)
	}
	inner, err := query.ParseQuery(v.Filter.Query)
	if err != nil {
		return nil, fmt.Errorf("collapse: query: %w", err)
	}
	q := NewQuery(inner, *v.Filter.Collapse)
	return q, q.Validate()
}

// UnmarshalJSON fills o from JSON; unknown members are errors.
func (o *QueryOptions) UnmarshalJSON(data []byte) error {
	type plain QueryOptions
	var v struct {
		plain
		Head []json.RawMessage `json:"head"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("collapse: query: options: %w", err)
	}
	head, err := search.ParseSortOrderJSON(v.Head)
	if err != nil {
		return fmt.Errorf("collapse: query: head: %w", err)
	}
	*o = QueryOptions(v.plain)
	if len(head) > 0 {
		o.Head = head
	}
	return nil
}
