package similar

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/lookup"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// In JSON a Query is
//
//	{"custom_filter": {"neardup": {"text": "...", "rule": {"hamming": 2}}}}
//
// for the reason that lookup.Parser has.

// plain is a Query with the JSON that its members have.
type plain Query

// MarshalJSON writes q for a remote index, whose process must have Parser in place.
func (q *Query) MarshalJSON() ([]byte, error) {
	var v struct {
		Filter struct {
			Neardup struct {
				*plain
				ID     ids.ID `json:"id,omitempty"`
				Values []byte `json:"within_values,omitempty"`
			} `json:"neardup"`
		} `json:"custom_filter"`
	}
	v.Filter.Neardup.plain, v.Filter.Neardup.ID = (*plain)(q), ids.ID(q.ID)
	v.Filter.Neardup.Values = q.values
	return ids.Marshal(v)
}

// UnmarshalJSON reads what MarshalJSON writes; unknown members are errors.
func (q *Query) UnmarshalJSON(data []byte) error {
	var v struct {
		Filter struct {
			Neardup struct {
				plain
				ID     ids.ID            `json:"id"`
				Text   ids.Texts[string] `json:"text"`
				Values []byte            `json:"within_values"`
			} `json:"neardup"`
		} `json:"custom_filter"`
	}
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("similar: query: %w", err)
	}
	read := Query(v.Filter.Neardup.plain)
	read.ID, read.Text = string(v.Filter.Neardup.ID), v.Filter.Neardup.Text
	read.values = v.Filter.Neardup.Values
	if err := read.Validate(); err != nil {
		return err
	}
	*q = read
	return nil
}

// Parser returns a parser of custom filters that reads a Query from JSON and leaves
// all others to next, which may be nil. bleve has a single place for such a parser,
// so it is for the application to put it there, before any query is parsed; with
// serve.Parser, whose queries may then have this one within:
//
//	query.CustomFilterQueryParser = serve.Parser(similar.Parser(query.CustomFilterQueryParser))
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return lookup.Parser("similar", "neardup", func(data []byte) (query.Query, error) {
		q := new(Query)
		return q, q.UnmarshalJSON(data)
	}, next)
}
