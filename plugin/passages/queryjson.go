package passages

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/lookup"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// In JSON a Query is
//
//	{"custom_filter": {"neardup_passages": {"text": "...", "max_share": 0.01}}}
//
// for the reason that lookup.Parser has.
const member = "neardup_passages"

type queryJSON struct {
	Text     ids.Texts[ids.ID] `json:"text,omitempty"`
	ID       ids.ID            `json:"id,omitempty"`
	Self     bool              `json:"self,omitempty"`
	Field    string            `json:"field,omitempty"`
	Least    int               `json:"least,omitempty"`
	Within   []string          `json:"within,omitempty"`
	MaxShare float64           `json:"max_share,omitempty"`
	BoostVal *query.Boost      `json:"boost,omitempty"`
	Given    *givenJSON        `json:"given,omitempty"` // of ID, as another index has it
}

type givenJSON struct {
	Values   []ids.ID      `json:"values,omitempty"`
	Selected []byte        `json:"selected,omitempty"`
	Within   []byte        `json:"within,omitempty"`
	Template *template.Set `json:"template,omitempty"`
}

type customJSON struct {
	Filter struct {
		Passages *queryJSON `json:"neardup_passages"`
	} `json:"custom_filter"`
}

// MarshalJSON writes q for an index in another process, which must have Parser in place.
func (q *Query) MarshalJSON() ([]byte, error) {
	own := queryJSON{
		ids.Of(q.Text), ids.ID(q.ID), q.Self, q.Field, q.Least, q.Within, q.MaxShare, q.BoostVal, nil,
	}
	if g := q.given; g != nil {
		own.Given = &givenJSON{Within: g.within, Template: g.left}
		for _, v := range g.values {
			own.Given.Values = append(own.Given.Values, ids.ID(v))
		}
		if g.prints != nil {
			var err error
			if own.Given.Selected, err = g.prints.MarshalBinary(); err != nil {
				return nil, err
			}
		}
	}
	var v customJSON
	v.Filter.Passages = &own
	return ids.Marshal(v)
}

// UnmarshalJSON reads what MarshalJSON writes; "text" can also be one text. Unknown members are errors.
func (q *Query) UnmarshalJSON(data []byte) error {
	var v customJSON
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("passages: query: %w", err)
	}
	own := v.Filter.Passages
	if own == nil {
		return fmt.Errorf("passages: query: custom_filter: wanted a member %q, got none", member)
	}
	read := Query{
		Text: ids.Strings(own.Text), ID: string(own.ID), Self: own.Self, Field: own.Field, Least: own.Least,
		Within: own.Within, MaxShare: own.MaxShare, BoostVal: own.BoostVal,
	}
	if own.Given != nil {
		var err error
		if read.given, err = own.Given.read(); err != nil {
			return fmt.Errorf("passages: query: given: %w", err)
		}
	}
	if err := read.Validate(); err != nil {
		return err
	}
	*q = read
	return nil
}

// read returns the document that j describes.
func (j *givenJSON) read() (*given, error) {
	g := &given{within: fields.Values(j.Within), left: j.Template}
	for _, v := range j.Values {
		g.values = append(g.values, []byte(v))
	}
	if j.Selected == nil {
		return g, nil
	}
	g.prints = new(prints)
	return g, g.prints.UnmarshalBinary(j.Selected)
}

// Parser returns a parser of custom filters that reads a Query from JSON and leaves all others to next, which may be
// nil. It is for the application to put it where bleve looks for one, before any query is parsed; with the parsers of other queries:
//
//	query.CustomFilterQueryParser = serve.Parser(similar.Parser(passages.Parser(query.CustomFilterQueryParser)))
//
// Who may send a Query may have texts read and compared: see serve.Guard for how long.
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return lookup.Parser("passages", member, func(data []byte) (query.Query, error) {
		q := new(Query)
		return q, q.UnmarshalJSON(data)
	}, next)
}
