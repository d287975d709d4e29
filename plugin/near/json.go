package near

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Types in JSON are structs with a member for an id that is not UTF-8, which hides the member of the same
// name. The types with the prefix plain have no methods.

type (
	plainSimilar  SimilarQuery
	plainPassages PassagesQuery
	plainHit      SimilarHit
	plainQuote    PassagesHit
	plainDocument Document
	plainCopy     Copy
)

// In JSON queries are
//
//	{"custom_filter": {"neardup": {"text": "...", "rule": {"hamming": 2}}}}
//	{"custom_filter": {"neardup_passages": {"text": "...", "max_share": 0.01}}}
//
// for the reason that indexes.Parser has.

// similarJSON hides members of a SimilarQuery.
type similarJSON struct {
	*plainSimilar
	ID     strict.ID    `json:"id,omitempty"`
	Text   strict.Texts `json:"text,omitempty"`
	Values []byte       `json:"within_values,omitempty"`
}

type similarFilter struct {
	Filter struct {
		Own similarJSON `json:"neardup"`
	} `json:"custom_filter"`
}

// passagesJSON hides members of a PassagesQuery.
type passagesJSON struct {
	*plainPassages
	ID     strict.ID    `json:"id,omitempty"`
	Text   strict.Texts `json:"text,omitempty"`
	Values []byte       `json:"within_values,omitempty"`
}

type passagesFilter struct {
	Filter struct {
		Own passagesJSON `json:"neardup_passages"`
	} `json:"custom_filter"`
}

// MarshalJSON writes q for a remote index, whose process must have Parser in place.
func (q *SimilarQuery) MarshalJSON() ([]byte, error) {
	var v similarFilter
	v.Filter.Own = similarJSON{(*plainSimilar)(q), strict.ID(q.ID), strict.IDs(q.Text), q.values}
	return strict.Marshal(v)
}

// MarshalJSON writes q for a remote index, whose process must have Parser in place.
func (q *PassagesQuery) MarshalJSON() ([]byte, error) {
	var v passagesFilter
	v.Filter.Own = passagesJSON{(*plainPassages)(q), strict.ID(q.ID), strict.IDs(q.Text), q.values}
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
	read.ID, read.Text, read.values = string(own.ID), strict.Strings(own.Text), own.Values
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
	read.ID, read.Text, read.values = string(own.ID), strict.Strings(own.Text), own.Values
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

type hitJSON struct {
	ID strict.ID `json:"id"`
	*plainHit
	Fields map[string]any `json:"fields,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (h SimilarHit) MarshalJSON() ([]byte, error) {
	return strict.Marshal(hitJSON{strict.ID(h.ID), (*plainHit)(&h), strict.Fields(h.Fields)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (h *SimilarHit) UnmarshalJSON(data []byte) error {
	v := hitJSON{plainHit: new(plainHit)}
	err := json.Unmarshal(data, &v)
	*h = SimilarHit(*v.plainHit)
	h.ID, h.Fields = string(v.ID), strict.Unfields(v.Fields)
	return err
}

type quoteJSON struct {
	ID strict.ID `json:"id"`
	*plainQuote
	Fields map[string]any `json:"fields,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (h PassagesHit) MarshalJSON() ([]byte, error) {
	return strict.Marshal(quoteJSON{strict.ID(h.ID), (*plainQuote)(&h), strict.Fields(h.Fields)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (h *PassagesHit) UnmarshalJSON(data []byte) error {
	v := quoteJSON{plainQuote: new(plainQuote)}
	err := json.Unmarshal(data, &v)
	*h = PassagesHit(*v.plainQuote)
	h.ID, h.Fields = string(v.ID), strict.Unfields(v.Fields)
	return err
}

type documentJSON struct {
	ID strict.ID `json:"id"`
	*plainDocument
}

// MarshalJSON implements json.Marshaler.
func (d Document) MarshalJSON() ([]byte, error) {
	return strict.Marshal(documentJSON{strict.ID(d.ID), (*plainDocument)(&d)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Document) UnmarshalJSON(data []byte) error {
	v := documentJSON{plainDocument: new(plainDocument)}
	err := json.Unmarshal(data, &v)
	*d = Document(*v.plainDocument)
	d.ID = string(v.ID)
	return err
}

type memberJSON struct {
	documentJSON
	signature.Match
	Verified    bool    `json:"verified,omitempty"`
	Resemblance float64 `json:"resemblance"`
}

// MarshalJSON implements json.Marshaler.
func (m Member) MarshalJSON() ([]byte, error) {
	return strict.Marshal(memberJSON{documentJSON{strict.ID(m.ID), (*plainDocument)(&m.Document)}, m.Match, m.Verified, m.Resemblance})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Member) UnmarshalJSON(data []byte) error {
	v := memberJSON{documentJSON: documentJSON{plainDocument: new(plainDocument)}}
	err := json.Unmarshal(data, &v)
	*m = Member{Document(*v.plainDocument), v.Match, v.Verified, v.Resemblance}
	m.ID = string(v.ID)
	return err
}

// UnmarshalJSON fills o from JSON; unknown members are errors. Groups finds values that are wrong.
func (o *GroupsOptions) UnmarshalJSON(data []byte) error {
	type plain GroupsOptions
	return strict.Fill("near: groups: options", data, (*plain)(o))
}

// WriteGroups writes groups as JSON lines, each a Group. It stops at the first error of
// groups or w, and returns it; what came before is written.
func WriteGroups(w io.Writer, groups iter.Seq2[Group, error]) error {
	if groups == nil {
		return errors.New("near: wanted groups, got nil")
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for one, err := range groups {
		if err == nil {
			err = enc.Encode(one)
		}
		if err != nil {
			_ = out.Flush() // what came before is written
			return err
		}
	}
	return out.Flush()
}

type copyJSON struct {
	ID strict.ID `json:"id"`
	*plainCopy
}

// MarshalJSON implements json.Marshaler.
func (c Copy) MarshalJSON() ([]byte, error) {
	return strict.Marshal(copyJSON{strict.ID(c.ID), (*plainCopy)(&c)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Copy) UnmarshalJSON(data []byte) error {
	v := copyJSON{plainCopy: new(plainCopy)}
	err := json.Unmarshal(data, &v)
	*c = Copy(*v.plainCopy)
	c.ID = string(v.ID)
	return err
}
