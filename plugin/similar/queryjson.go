package similar

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// In JSON a Query is
//
//	{"custom_filter": {"neardup": {"text": "...", "rule": {"hamming": 2}}}}
//
// because custom_filter is the one member of bleve's query language that others may
// give a meaning to.

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
				ID     ids.ID `json:"id"`
				Text   texts  `json:"text"`
				Values []byte `json:"within_values"`
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

// texts is one text, or several.
type texts []string

func (t *texts) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		if data[0] != '[' && data[0] != 'n' { // null
			return fmt.Errorf("text: wanted a string or a list of strings, got %.40s", data)
		}
		return json.Unmarshal(data, (*[]string)(t))
	}
	*t = make(texts, 1)
	return json.Unmarshal(data, &(*t)[0])
}

// Parser returns a parser of custom filters that reads a Query from JSON and leaves
// all others to next, which may be nil. bleve has a single place for such a parser,
// so it is for the application to put it there, before any query is parsed; with
// serve.Parser, whose queries may then have this one within:
//
//	query.CustomFilterQueryParser = serve.Parser(similar.Parser(query.CustomFilterQueryParser))
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return func(data []byte) (query.Query, error) {
		var known struct {
			Filter map[string]json.RawMessage `json:"custom_filter"`
		}
		if err := json.Unmarshal(data, &known); err != nil {
			return nil, fmt.Errorf("similar: query: %w", err)
		}
		if known.Filter["neardup"] != nil {
			q := new(Query)
			return q, q.UnmarshalJSON(data)
		}
		if next == nil {
			return nil, fmt.Errorf(`similar: query: custom_filter: wanted a member that a parser is in place for, such as "neardup", got %q`,
				slices.Sorted(maps.Keys(known.Filter)))
		}
		return next(data)
	}
}
