package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// PassagesRequest asks for the documents that share passages with one.
type PassagesRequest = Request[PassagesQuery]

// PassagesResult is the documents that share passages with one.
type PassagesResult struct {
	// Hits is the page: the one with most of the given text first, then by id.
	Hits []PassagesHit `json:"hits"`

	Result

	// Words is the number of words of the given text, 0 if it is not stored, and Least the least number of words
	// of a passage: of several indexes, the largest.
	Words int `json:"words"`
	Least int `json:"least"`

	// Templates is the number of fingerprints that were not followed since they stand in a template alone, at least 1 if
	// documents were left out that share nothing else.
	Templates int `json:"templates,omitempty"`
}

// PassagesHit is a document that shares a passage. If it is not Verified, there is neither a number of words
// nor a span.
type PassagesHit struct {
	Hit

	// Words is how many words of the given text InHit is.
	Words int `json:"words,omitempty"`

	// Given and Own are the parts of the given text, and of the hit, that the other has anywhere:
	// in order, and not overlapping.
	Given []Span `json:"given,omitempty"`
	Own   []Span `json:"own,omitempty"`

	// Passages are the single passages, by their places in the given text. They might overlap. Where the
	// hit has words that stand in several places of the given text, it is the longest passage of the
	// first 16 places.
	Passages []Passage `json:"passages,omitempty"`
}

// Passage is words that two texts have in common, as many as follow one another in both.
type Passage struct {
	// Words is how many these are.
	Words int `json:"words"`

	// Given and Own are where it stands in the given text, and in the hit.
	Given Span `json:"given"`
	Own   Span `json:"own"`

	// Text is the passage as the hit has it.
	Text string `json:"text"`
}

// Span is a part of a text.
type Span struct {
	// Value is the number of the field's value, from 0.
	Value int `json:"value"`

	// From and To are its words, from one with the number From, counted from 0, to before To.
	From int `json:"from"`
	To   int `json:"to"`

	// Start and End are its bytes in the value, after the analyzer's char filters.
	Start int `json:"start"`
	End   int `json:"end"`
}

// Passages finds the documents that r asks for. An error wraps ErrNotFound if there is no document of the id. Texts are
// compared by the mapping of the index, or of the first local member of an alias. Indexes in other processes have none:
// give their alias one (SetIndexMapping); where a text is not stored there, nothing is known of OfHit. Status names the members of an alias that failed; if all fail, that is an error.
func Passages(ctx context.Context, index bleve.Index, r PassagesRequest) (*PassagesResult, error) {
	q, rep := r.Query, &report{began: time.Now()}
	q.BoostVal, q.MaxShare = nil, cmp.Or(q.MaxShare, DefaultMaxShare) // scores alone bring the hits in order here
	if err := r.check(ctx, index, &q, q.Within...); err != nil {
		return nil, err
	}
	texts, err := verify.TextsOf(index, q.field())
	if err != nil {
		return nil, err
	}
	a, err := q.resolve(ctx, index, texts)
	if err != nil {
		return nil, err
	}
	sketch := signature.Field(q.field()).Sketch()
	found, err := r.ask(ctx, index, &q, rep, append(texts.Fields(), sketch)...)
	if err != nil {
		return nil, err
	}
	res := &PassagesResult{
		Hits: make([]PassagesHit, len(found.Hits)), Result: rep.result(found, q.MaxShare),
		Words: a.words, Least: a.least, Templates: rep.templates,
	}
	c := comparison{asked: a, index: index, field: q.field(), texts: texts}
	for i, hit := range found.Hits {
		h := &res.Hits[i]
		h.Index, h.ID, h.InHit.Value = hit.Index, hit.ID, hit.Score
		sig, err := stored.OfHit(hit, sketch)
		if err == nil {
			err = c.compare(sig, hit, h)
		}
		if err != nil {
			return nil, fmt.Errorf("near: hit %q: %w", h.ID, err)
		}
		stored.Strip(hit, r.Fields, texts.Fields()...)
		h.Fields = hit.Fields
	}
	res.Took = time.Since(rep.began)
	return res, nil
}

// resolve finds the document that q names, and makes q one of its text, which all members understand, or of what is
// selected of it if the text is not stored.
func (q *PassagesQuery) resolve(ctx context.Context, x bleve.Index, texts *verify.Texts) (*asked, error) {
	a := new(asked)
	for _, own := range indexes.Mapped(x) {
		analyzer, least, err := q.analyzer(own.Mapping())
		if err != nil {
			return nil, indexes.Closed(own, err)
		}
		a.analyzer, a.least = cmp.Or(a.analyzer, analyzer), max(a.least, least)
	}
	if a.analyzer == nil {
		return nil, errors.New("near: wanted a mapping to compare texts by, got none; SetIndexMapping gives an alias one")
	}
	q.Least = a.least // as of several indexes the largest
	if q.ID != "" {
		if err := q.resolveID(ctx, x, texts); err != nil {
			return nil, err
		}
	}
	return a, a.set(q.Text, q.selected)
}

func (q *PassagesQuery) resolveID(ctx context.Context, x bleve.Index, texts *verify.Texts) error {
	name := signature.Field(q.field()).Sketch()
	own, err := find(ctx, x, q.ID, q.Within, append(texts.Fields(), name)...)
	if err != nil {
		return err
	}
	if q.values = own.values; len(q.Text) > 0 {
		return nil
	}
	sig, err := stored.OfHit(own.hit, name)
	if err == nil {
		if text := texts.Find(sig, verify.OfHit(own.hit.Fields)); text != nil {
			q.Text, q.TextScope = as[string](text.Values), text.Scope
			return nil
		}
		if !indexes.Local(x) {
			return fmt.Errorf("near: id %q: wanted one whose text is stored, to send it to indexes in other processes, got one without", q.ID)
		}
		q.selected, err = own.prints(x, q.field())
	}
	if err == nil && q.selected == nil {
		err = fmt.Errorf("wanted a document with passages of field %q, got one without", q.field())
	}
	if err != nil {
		return fmt.Errorf("near: id %q: %w", q.ID, err)
	}
	return nil
}

// prints returns what is selected of a document in this process, nil if nothing is.
func (n named) prints(x bleve.Index, field string) (p *winnow.Prints, err error) {
	err = n.local(x, func(r index.IndexReader, own index.IndexInternalID) error {
		if signatures := column.Of(r, field); signatures != nil {
			if all, ok, err := signatures.Prints(own.Value()); err != nil || ok {
				p = &all
				return err
			}
		}
		return nil
	})
	return p, err
}

// comparison compares the hits of a page with the given document.
type comparison struct {
	*asked
	index bleve.Index
	field string
	texts *verify.Texts

	given *text // once it is needed
}

// compare adds to h what the document of hit, which has the signature sig, and the given one have in common.
func (c *comparison) compare(sig *signature.Signature, hit *search.DocumentMatch, h *PassagesHit) error {
	own := c.texts.Find(sig, verify.OfHit(hit.Fields))
	if own == nil || c.values == nil {
		other, err := named{hit: hit}.prints(c.index, c.field)
		if err == nil && other != nil {
			h.InHit, h.OfHit, _ = winnow.Containment(c.prints, *other)
		}
		return err
	}
	if c.given == nil {
		c.given = newText(c.analyzer, c.values)
	}
	t := newText(own.Analyzer, own.Values)
	common := c.common(t.hashes)
	h.Verified, h.Words = true, tokensIn(common.A)
	h.InHit, h.OfHit = share(common.A, c.words), share(common.B, count(t.hashes))
	for _, s := range common.A {
		h.Given = append(h.Given, c.given.span(s))
	}
	for _, s := range common.B {
		h.Own = append(h.Own, t.span(s))
	}
	for _, p := range common.Pairs {
		at := t.span(p.B)
		h.Passages = append(h.Passages, Passage{
			Words: p.B.To - p.B.From, Given: c.given.span(p.A), Own: at, Text: string(t.values[at.Value][at.Start:at.End]),
		})
	}
	slices.SortStableFunc(h.Passages, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(a.Given.Value, b.Given.Value), cmp.Compare(a.Given.From, b.Given.From))
	})
	return nil
}

// text is the tokens of a text, with their places.
type text struct {
	values [][]byte // after char filters
	tokens [][]token.Token
	hashes [][]uint64
}

func newText(a *neardup.Analyzer, values [][]byte) *text {
	t := &text{hashes: tokens(a, values)}
	for _, v := range values {
		filtered, tokens := a.Tokens(v)
		t.values, t.tokens = append(t.values, filtered), append(t.tokens, tokens)
	}
	return t
}

// span returns the span of tokens with its bytes.
func (t *text) span(s tokenSpan) Span {
	tokens := t.tokens[s.Value]
	start, end := tokens[s.From].Start, tokens[s.To-1].End
	return Span{s.Value, s.From, s.To, start, max(start, end)}
}
