package collapse

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Ids are bytes, which a string in JSON cannot hold: package strict says what stands for them.
// bleve's hits have ids as strings, so what hides them here has the same names in JSON.

type refJSON struct {
	Index string    `json:"index,omitempty"`
	ID    strict.ID `json:"id"`
}

// MarshalJSON implements json.Marshaler.
func (r Ref) MarshalJSON() ([]byte, error) { return strict.Marshal(refJSON{r.Index, strict.ID(r.ID)}) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Ref) UnmarshalJSON(data []byte) error {
	v := refJSON{r.Index, strict.ID(r.ID)}
	err := json.Unmarshal(data, &v)
	*r = Ref{v.Index, string(v.ID)}
	return err
}

// methodless is embedded beside a Member without methods of its own, which would else pass on the methods of its Ref: Go passes on
// none that two embedded structs have. So encoding/json goes by the fields, of which refJSON's hide Ref's.
type methodless struct{ Ref }

// MarshalJSON implements json.Marshaler. A member that has the head's key alone was not compared, and has no figures.
func (m Member) MarshalJSON() ([]byte, error) {
	type plain Member
	v := struct {
		refJSON
		*plain
		methodless
		Agree   *int              `json:"agree,omitempty"`
		Hamming *int              `json:"hamming,omitempty"`
		By      *signature.Reason `json:"by,omitempty"`
	}{refJSON: refJSON{m.Index, strict.ID(m.ID)}, plain: (*plain)(&m)}
	if !m.Key || m.Match != (signature.Match{}) {
		v.Agree, v.Hamming, v.By = &m.Agree, &m.Hamming, &m.By
	}
	return strict.Marshal(v)
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Member) UnmarshalJSON(data []byte) error {
	type plain Member
	v := struct {
		refJSON
		*plain
		methodless
	}{plain: new(plain)}
	err := json.Unmarshal(data, &v)
	*m = Member(*v.plain)
	m.Ref = Ref{v.Index, string(v.ID)}
	return err
}

type damageJSON struct {
	refJSON
	Reason string `json:"reason"`
}

// MarshalJSON implements json.Marshaler.
func (d Damage) MarshalJSON() ([]byte, error) {
	return strict.Marshal(damageJSON{refJSON{d.Index, strict.ID(d.ID)}, d.Reason})
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Damage) UnmarshalJSON(data []byte) error {
	var v damageJSON
	err := json.Unmarshal(data, &v)
	*d = Damage{Ref: Ref{v.Index, string(v.ID)}, Reason: v.Reason}
	return err
}

type cursorJSON struct {
	After []strict.ID `json:"after,omitempty"`
	Index string      `json:"index,omitempty"`
	Taken int         `json:"taken"`
	Left  uint64      `json:"left,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c Cursor) MarshalJSON() ([]byte, error) {
	return json.Marshal(cursorJSON{After: strict.IDs(c.After), Index: c.Index, Taken: c.Taken, Left: c.Left})
}

// UnmarshalJSON implements json.Unmarshaler; unknown members are errors.
func (c *Cursor) UnmarshalJSON(data []byte) error {
	var v cursorJSON
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	*c = Cursor{After: strict.Strings(v.After), Index: v.Index, Taken: v.Taken, Left: v.Left}
	return nil
}

// MarshalJSON writes r, or bleve's result alone if Groups is nil.
func (r *Result) MarshalJSON() ([]byte, error) {
	type plain Result
	kept := r.SearchResult == nil || indexes.KeepsIDs(r.Hits)
	switch {
	case r.Groups == nil && kept:
		return strict.Marshal(r.SearchResult)
	case r.Groups == nil:
		return strict.Marshal(struct {
			*bleve.SearchResult
			Hits []indexes.Hit `json:"hits"`
		}{r.SearchResult, indexes.HitsJSON(r.Hits)})
	case kept:
		return strict.Marshal((*plain)(r))
	}
	return strict.Marshal(struct {
		*plain
		Hits []indexes.Hit `json:"hits"`
	}{(*plain)(r), indexes.HitsJSON(r.Hits)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Result) UnmarshalJSON(data []byte) error {
	type plain Result
	v := struct {
		*plain
		Hits []indexes.Hit `json:"hits"`
	}{plain: &plain{SearchResult: new(bleve.SearchResult)}}
	err := json.Unmarshal(data, &v)
	if err == nil {
		*r = Result(*v.plain)
		r.Hits = indexes.HitsOf(v.Hits)
	}
	return err
}

// MarshalJSON implements json.Marshaler.
func (r *InnerResult) MarshalJSON() ([]byte, error) {
	type plain InnerResult
	if indexes.KeepsIDs(r.Hits) {
		return strict.Marshal((*plain)(r))
	}
	return strict.Marshal(struct {
		*plain
		Hits []indexes.Hit `json:"hits"`
	}{(*plain)(r), indexes.HitsJSON(r.Hits)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *InnerResult) UnmarshalJSON(data []byte) error {
	type plain InnerResult
	v := struct {
		*plain
		Hits []indexes.Hit `json:"hits"`
	}{plain: new(plain)}
	err := json.Unmarshal(data, &v)
	if err == nil {
		*r = InnerResult(*v.plain)
		r.Hits = indexes.HitsOf(v.Hits)
	}
	return err
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
