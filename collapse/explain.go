package collapse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Explain asks what the members of each group on the page have in common with its
// head, in words: the shingles that both have, and those that one of them lacks. It
// takes the stored texts of both, and the time to sign them again. {} asks with all
// defaults.
type Explain struct {
	// Members is how many members of each group are explained, the best-ranked ones:
	// 3 if 0.
	Members int `json:"members,omitempty"`

	// Shingles is the most shingles in one list of passages, 20 if 0. The numbers
	// are those of all.
	Shingles int `json:"shingles,omitempty"`

	// Fields are the stored fields that have the text which was fingerprinted, such as
	// "body". If empty they are what the index mapping says. An alias of several indexes
	// has no mapping unless it was given one (SetIndexMapping); then the text is looked
	// for in the fingerprinted field itself, as if the analyzer were "neardup" without
	// options.
	Fields []string `json:"fields,omitempty"`
}

// Explanation tells what a member and its head have in common. The numbers are exact,
// of distinct shingles, or with signature.Params.Bag of all.
type Explanation struct {
	// Shared is how many shingles both have.
	Shared int `json:"shared"`

	Head   Side `json:"head"`
	Member Side `json:"member"`
}

// Side is what an Explanation tells of one of the two texts.
type Side struct {
	// Own is how many shingles the other text lacks.
	Own int `json:"own"`

	// OwnText is where they stand, and SharedText where those stand that both have,
	// from the beginning of the text on, as far as Explain.Shingles goes.
	OwnText    []Passage `json:"own_text,omitempty"`
	SharedText []Passage `json:"shared_text,omitempty"`
}

// Passage is a piece of a stored text in which shingles follow one another: the bytes
// from Start until before End of a value of Field, as it is behind the analyzer's char
// filters.
type Passage struct {
	Field    string `json:"field"`
	Value    int    `json:"value,omitempty"` // which of the field's values, from 0
	Start    int    `json:"start"`
	End      int    `json:"end"`
	Shingles int    `json:"shingles"`
	Text     string `json:"text"` // at most 1,000 bytes of it
}

const (
	defaultExplained = 3
	defaultShingles  = 20
	mostText         = 1000
)

// check returns an error for what cannot be explained.
func (e *Explain) check() error {
	switch {
	case e == nil:
	case e.Members < 0:
		return fmt.Errorf("collapse: explain: members: wanted 0 or more, got %d", e.Members)
	case e.Shingles < 0:
		return fmt.Errorf("collapse: explain: shingles: wanted 0 or more, got %d", e.Shingles)
	}
	return nil
}

// complete adds to a result what the options ask for besides.
func complete(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, o Options, r *Result) error {
	if err := inner(ctx, x, request, o.InnerHits, r); err != nil || o.Explain == nil {
		return err
	}
	if err := o.Explain.answer(ctx, x, o.Field, slices.Concat(r.Groups, r.Earlier)); err != nil {
		return fmt.Errorf("collapse: explain: %w", err)
	}
	return nil
}

// answer explains members of groups.
func (e *Explain) answer(ctx context.Context, x bleve.Index, field string, groups []Group) error {
	from, err := origins(x.Mapping(), field, e.Fields)
	if err != nil {
		return err
	}
	var refs []Ref
	explained := make([][]Member, len(groups))
	for i, g := range groups {
		if explained[i] = g.Members[:min(len(g.Members), e.members())]; len(explained[i]) > 0 {
			refs = append(refs, g.Head)
		}
		for _, m := range explained[i] {
			refs = append(refs, m.Ref)
		}
	}
	fields := []string{signature.SketchField(field)}
	for _, o := range from {
		fields = append(fields, o.fields...)
	}
	hits, err := named(ctx, x.SearchInContext, bleve.SearchRequest{Fields: fields}, refs)
	if err != nil {
		return err
	}
	found := make(map[Ref]*search.DocumentMatch, 2*len(hits))
	for _, hit := range hits {
		found[refOf(hit)] = hit
		found[Ref{ID: hit.ID}] = hit // heads of a cursor have no index
	}
	for i, members := range explained {
		if len(members) == 0 {
			continue
		}
		head, headErr := textOf(found[groups[i].Head], field, from)
		for j := range members {
			m := &members[j]
			text, err := textOf(found[m.Ref], field, from)
			if err = errors.Join(headErr, err); err != nil {
				m.Unexplained = err.Error()
				continue
			}
			m.Explanation = e.compare(head, text)
		}
	}
	return nil
}

func (e *Explain) members() int {
	if e.Members == 0 {
		return defaultExplained
	}
	return e.Members
}

// text is the text of a document: its values, as the analyzer signs them.
type text struct {
	params signature.Params
	values []value
}

type value struct {
	field  string
	n      int // among those of the field
	text   []byte
	tokens []signature.Token
}

// textOf returns the stored text of a hit that its signature was made from, or an
// error that tells what is missing.
func textOf(hit *search.DocumentMatch, field string, from []origin) (*text, error) {
	if hit == nil {
		return nil, errors.New("wanted both documents, one was deleted since")
	}
	sig, err := (&stored{field: signature.SketchField(field)}).read(hit)
	if err != nil {
		return nil, fmt.Errorf("document %q: %w", hit.ID, err)
	}
	for _, o := range from {
		t := &text{params: o.analyzer.Params()}
		var values [][]byte
		for _, field := range o.fields {
			for n, s := range stringsOf(hit.Fields[field]) {
				t.values = append(t.values, value{field: field, n: n})
				values = append(values, []byte(s))
			}
		}
		if again, _ := o.analyzer.Sign(values...); again.Params != sig.Params || again.Exact != sig.Exact {
			continue
		}
		for i := range values {
			t.values[i].text, t.values[i].tokens = o.analyzer.Tokens(values[i])
		}
		return t, nil
	}
	return nil, fmt.Errorf("document %q: wanted the text of its signature in the stored fields %q, got none or another", hit.ID, from[0].fields)
}

// stringsOf returns the values of a stored field of text.
func stringsOf(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			all = append(all, stringsOf(one)...)
		}
	}
	return all
}

// tokens returns those of each value.
func (t *text) tokens() (all [][]signature.Token) {
	for _, v := range t.values {
		all = append(all, v.tokens)
	}
	return all
}

// compare explains a member's text.
func (e *Explain) compare(head, member *text) *Explanation {
	limit := e.Shingles
	if limit == 0 {
		limit = defaultShingles
	}
	c := signature.Compare(head.params, head.tokens(), member.tokens(), limit)
	side := func(t *text, s signature.Side) Side {
		return Side{Own: s.Own, OwnText: t.passages(s.OwnSpans), SharedText: t.passages(s.SharedSpans)}
	}
	return &Explanation{Shared: c.Shared, Head: side(head, c.A), Member: side(member, c.B)}
}

// passages returns the text of spans.
func (t *text) passages(spans []signature.Span) (all []Passage) {
	for _, s := range spans {
		v := t.values[s.Value]
		end := min(s.End, s.Start+mostText)
		for end < s.End && end > s.Start && !utf8.RuneStart(v.text[end]) {
			end--
		}
		all = append(all, Passage{
			Field: v.field, Value: v.n, Start: s.Start, End: s.End, Shingles: s.Shingles, Text: string(v.text[s.Start:end]),
		})
	}
	return all
}
