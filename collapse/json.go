package collapse

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// MarshalJSON implements json.Marshaler. A member that has the head's key alone was not compared, and has no figures.
func (m Member) MarshalJSON() ([]byte, error) {
	type plain Member
	v := struct {
		*plain
		Agree   *int              `json:"agree,omitempty"`
		Hamming *int              `json:"hamming,omitempty"`
		By      *signature.Reason `json:"by,omitempty"`
	}{plain: (*plain)(&m)}
	if !m.Key || m.Match != (signature.Match{}) {
		v.Agree, v.Hamming, v.By = &m.Agree, &m.Hamming, &m.By
	}
	return strict.Marshal(v)
}

// MarshalJSON implements json.Marshaler. Sort keys that JSON cannot hold are an error: the next page would not follow
// this one.
func (c Cursor) MarshalJSON() ([]byte, error) {
	type plain Cursor
	for _, key := range c.After {
		if !utf8.ValidString(key) {
			return nil, fmt.Errorf("collapse: cursor: wanted sort keys in UTF-8, got %q", key)
		}
	}
	return json.Marshal(plain(c))
}

// UnmarshalJSON implements json.Unmarshaler; unknown members are errors.
func (c *Cursor) UnmarshalJSON(data []byte) error {
	type plain Cursor
	return strict.Fill("cursor", data, (*plain)(c))
}

// MarshalJSON writes r, or bleve's result alone if Groups is nil.
func (r *Result) MarshalJSON() ([]byte, error) {
	type plain Result
	if r.Groups == nil {
		return strict.Marshal(r.SearchResult)
	}
	return strict.Marshal((*plain)(r))
}

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
