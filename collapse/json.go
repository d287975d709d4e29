package collapse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/ids"
)

// Ids are bytes, which a string in JSON cannot hold: package ids says what stands for them.
// bleve's hits have ids as strings, so what hides them here has the same names in JSON.

type refJSON struct {
	Index string `json:"index,omitempty"`
	ID    ids.ID `json:"id"`
}

func (r refJSON) ref() Ref { return Ref{r.Index, string(r.ID)} }

// MarshalJSON implements json.Marshaler.
func (r Ref) MarshalJSON() ([]byte, error) { return ids.Marshal(refJSON{r.Index, ids.ID(r.ID)}) }

// UnmarshalJSON implements json.Unmarshaler.
func (r *Ref) UnmarshalJSON(data []byte) error {
	v := refJSON{r.Index, ids.ID(r.ID)}
	err := json.Unmarshal(data, &v)
	*r = v.ref()
	return err
}

type memberJSON struct {
	refJSON
	Score float64 `json:"score"`
	signature.Match
	Overlap     *Overlap     `json:"overlap,omitempty"`
	Explanation *Explanation `json:"explanation,omitempty"`
	Unexplained string       `json:"unexplained,omitempty"`
	Visible     bool         `json:"visible,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (m Member) MarshalJSON() ([]byte, error) {
	return ids.Marshal(memberJSON{
		refJSON{m.Index, ids.ID(m.ID)}, m.Score, m.Match, m.Overlap, m.Explanation, m.Unexplained, m.Visible,
	})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Member) UnmarshalJSON(data []byte) error {
	var v memberJSON
	err := json.Unmarshal(data, &v)
	*m = Member{
		Ref: v.ref(), Score: v.Score, Match: v.Match, Overlap: v.Overlap, Explanation: v.Explanation, Unexplained: v.Unexplained, Visible: v.Visible,
	}
	return err
}

type damageJSON struct {
	refJSON
	Reason string `json:"reason"`
}

// MarshalJSON implements json.Marshaler.
func (d Damage) MarshalJSON() ([]byte, error) {
	return ids.Marshal(damageJSON{refJSON{d.Index, ids.ID(d.ID)}, d.Reason})
}

// UnmarshalJSON implements json.Unmarshaler.
func (d *Damage) UnmarshalJSON(data []byte) error {
	var v damageJSON
	err := json.Unmarshal(data, &v)
	*d = Damage{Ref: v.ref(), Reason: v.Reason}
	return err
}

type cursorJSON struct {
	After []ids.ID  `json:"after,omitempty"`
	Taken int       `json:"taken"`
	Heads []refJSON `json:"heads"`
	Shown []int     `json:"shown,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (c Cursor) MarshalJSON() ([]byte, error) {
	v := cursorJSON{After: ids.Of(c.After), Taken: c.Taken, Shown: c.Shown}
	if c.Heads != nil {
		v.Heads = make([]refJSON, len(c.Heads))
	}
	for i, r := range c.Heads {
		v.Heads[i] = refJSON{r.Index, ids.ID(r.ID)}
	}
	return ids.Marshal(v)
}

// UnmarshalJSON implements json.Unmarshaler; unknown members are errors.
func (c *Cursor) UnmarshalJSON(data []byte) error {
	var v cursorJSON
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	*c = Cursor{After: ids.Strings(v.After), Taken: v.Taken, Shown: v.Shown}
	if v.Heads != nil {
		c.Heads = make([]Ref, len(v.Heads))
	}
	for i, r := range v.Heads {
		c.Heads[i] = r.ref()
	}
	return nil
}

// hitJSON is a hit of bleve's, but for what may not be UTF-8.
type hitJSON struct {
	ID          ids.ID         `json:"id"`
	Sort        []ids.ID       `json:"sort,omitempty"`
	DecodedSort []ids.ID       `json:"decoded_sort,omitempty"`
	Fields      map[string]any `json:"fields,omitempty"`
	*search.DocumentMatch
}

// keptHits reports whether bleve's JSON keeps the ids of hits.
func keptHits(hits search.DocumentMatchCollection) bool {
	return !slices.ContainsFunc(hits, func(hit *search.DocumentMatch) bool {
		of, _ := hit.Fields[ids.OfField].(string)
		return !ids.Valid(hit.ID, of) || !ids.Valid(hit.Sort...) || !ids.Valid(hit.DecodedSort...)
	})
}

func toHits(hits search.DocumentMatchCollection) []hitJSON {
	all := make([]hitJSON, len(hits))
	for i, hit := range hits {
		all[i] = hitJSON{ids.ID(hit.ID), ids.Of(hit.Sort), ids.Of(hit.DecodedSort), ids.Fields(hit.Fields), hit}
	}
	return all
}

func ofHits(all []hitJSON) search.DocumentMatchCollection {
	if all == nil {
		return nil
	}
	hits := make(search.DocumentMatchCollection, len(all))
	for i, h := range all {
		if hits[i] = h.DocumentMatch; hits[i] == nil {
			hits[i] = new(search.DocumentMatch)
		}
		hits[i].ID, hits[i].Sort, hits[i].DecodedSort = string(h.ID), ids.Strings(h.Sort), ids.Strings(h.DecodedSort)
		hits[i].Fields = ids.Unfields(h.Fields)
	}
	return hits
}

// MarshalJSON writes r, or bleve's result alone if the mode is Off.
func (r *Result) MarshalJSON() ([]byte, error) {
	type plain Result
	kept := r.SearchResult == nil || keptHits(r.Hits)
	switch {
	case r.Groups == nil && kept:
		return ids.Marshal(r.SearchResult)
	case r.Groups == nil:
		return ids.Marshal(struct {
			*bleve.SearchResult
			Hits []hitJSON `json:"hits"`
		}{r.SearchResult, toHits(r.Hits)})
	case kept:
		return ids.Marshal((*plain)(r))
	}
	return ids.Marshal(struct {
		*plain
		Hits []hitJSON `json:"hits"`
	}{(*plain)(r), toHits(r.Hits)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Result) UnmarshalJSON(data []byte) error {
	type plain Result
	v := struct {
		*plain
		Hits []hitJSON `json:"hits"`
	}{plain: &plain{SearchResult: new(bleve.SearchResult)}}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*r = Result(*v.plain)
	r.Hits = ofHits(v.Hits)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (r *InnerResult) MarshalJSON() ([]byte, error) {
	type plain InnerResult
	if keptHits(r.Hits) {
		return ids.Marshal((*plain)(r))
	}
	return ids.Marshal(struct {
		*plain
		Hits []hitJSON `json:"hits"`
	}{(*plain)(r), toHits(r.Hits)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *InnerResult) UnmarshalJSON(data []byte) error {
	type plain InnerResult
	v := struct {
		*plain
		Hits []hitJSON `json:"hits"`
	}{plain: new(plain)}
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*r = InnerResult(*v.plain)
	r.Hits = ofHits(v.Hits)
	return nil
}
