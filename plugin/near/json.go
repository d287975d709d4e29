package near

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// The types with the prefix plain have no methods.

type (
	plainSimilar  SimilarQuery
	plainPassages PassagesQuery
)

// In JSON queries are
//
//	{"custom_filter": {"neardup": {"text": "...", "rule": {"hamming": 2}}}}
//	{"custom_filter": {"neardup_passages": {"text": "...", "max_share": 0.01}}}
//
// for the reason that indexes.Parser has.

// texts is one value of a text, or a list of several.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '[', 'n': // null
		return json.Unmarshal(data, (*[]string)(t))
	case '"':
		*t = make(texts, 1)
		return json.Unmarshal(data, &(*t)[0])
	}
	return fmt.Errorf("text: wanted a string or a list of strings, got %.40s", data)
}

// similarFilter is a SimilarQuery in JSON.
type similarFilter struct {
	Filter struct {
		Own struct {
			*plainSimilar
			Text   texts  `json:"text,omitempty"`
			Values []byte `json:"within_values,omitempty"`
		} `json:"neardup"`
	} `json:"custom_filter"`
}

// passagesFilter is a PassagesQuery in JSON.
type passagesFilter struct {
	Filter struct {
		Own struct {
			*plainPassages
			Text   texts  `json:"text,omitempty"`
			Values []byte `json:"within_values,omitempty"`
		} `json:"neardup_passages"`
	} `json:"custom_filter"`
}

// MarshalJSON writes q for a remote index, whose process must have Parser in place.
func (q *SimilarQuery) MarshalJSON() ([]byte, error) {
	var v similarFilter
	own := &v.Filter.Own
	own.plainSimilar, own.Text, own.Values = (*plainSimilar)(q), q.Text, q.values
	return marshal(v, q.ID, q.Text)
}

// MarshalJSON writes q for a remote index, whose process must have Parser in place.
func (q *PassagesQuery) MarshalJSON() ([]byte, error) {
	var v passagesFilter
	own := &v.Filter.Own
	own.plainPassages, own.Text, own.Values = (*plainPassages)(q), q.Text, q.values
	return marshal(v, q.ID, q.Text)
}

// marshal writes a query, unless JSON would make another id or text of what it names.
func marshal(v any, id string, text []string) ([]byte, error) {
	for _, s := range append([]string{id}, text...) {
		if !utf8.ValidString(s) {
			return nil, fmt.Errorf("near: query: wanted an id and text in UTF-8, got %.60q", s)
		}
	}
	return strict.Marshal(v)
}

// UnmarshalJSON reads what MarshalJSON writes; "text" can also be one text. Unknown members are errors.
func (q *SimilarQuery) UnmarshalJSON(data []byte) error {
	var v similarFilter
	own := &v.Filter.Own
	own.plainSimilar = new(plainSimilar)
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("near: query: %w", err)
	}
	read := SimilarQuery(*own.plainSimilar)
	read.Text, read.values = own.Text, own.Values
	if err := read.Validate(); err != nil {
		return err
	}
	*q = read
	return nil
}

// UnmarshalJSON reads what MarshalJSON writes; "text" can also be one text. Unknown members are errors.
func (q *PassagesQuery) UnmarshalJSON(data []byte) error {
	var v passagesFilter
	own := &v.Filter.Own
	own.plainPassages = new(plainPassages)
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("near: query: %w", err)
	}
	read := PassagesQuery(*own.plainPassages)
	read.Text, read.values = own.Text, own.Values
	if err := read.Validate(); err != nil {
		return err
	}
	*q = read
	return nil
}

// Parser returns a parser of custom filters that reads a SimilarQuery and a PassagesQuery from JSON, and
// leaves all others to next, which may be nil. bleve has a single place for such a parser, so it is for the
// application to put it there, before any query is parsed; with serve.Parser, whose queries may then have
// these within:
//
//	query.CustomFilterQueryParser = serve.Parser(near.Parser(query.CustomFilterQueryParser))
//
// Who may send a PassagesQuery may have texts read and compared: see serve.Guard for how long.
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return indexes.Parser("near", "neardup_passages", func(data []byte) (query.Query, error) {
		q := new(PassagesQuery)
		return q, q.UnmarshalJSON(data)
	}, indexes.Parser("near", "neardup", func(data []byte) (query.Query, error) {
		q := new(SimilarQuery)
		return q, q.UnmarshalJSON(data)
	}, next))
}

// UnmarshalJSON fills o from JSON; unknown members are errors. Groups finds values that are wrong.
func (o *GroupsOptions) UnmarshalJSON(data []byte) error {
	type plain GroupsOptions
	return strict.Fill("near: groups: options", data, (*plain)(o))
}
