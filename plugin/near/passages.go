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

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
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

	// Templates is the number of fingerprints that were not followed since they stand in a template alone, and
	// Damaged of documents whose fingerprints cannot be read.
	Templates int `json:"templates,omitempty"`
	Damaged   int `json:"damaged,omitempty"`
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

// Passages finds the documents that r asks for. An error wraps ErrNotFound if there is no document of the id.
// index is local, a shards.Remote, or an alias of such. A member in another process that fails is named in
// Status; if all fail, that is an error.
func Passages(ctx context.Context, index bleve.Index, r PassagesRequest) (*PassagesResult, error) {
	start := time.Now()
	q := r.Query
	q.BoostVal, q.MaxShare = nil, cmp.Or(q.MaxShare, DefaultMaxShare) // scores alone bring the hits in order here
	if err := r.check(ctx, index, &q, q.Within...); err != nil {
		return nil, err
	}
	m := members{leaves: indexes.Leaves(index), failed: map[int]error{}}
	if err := q.resolve(ctx, &m); err != nil {
		return nil, err
	}
	res := &PassagesResult{Result: Result{TotalRelation: bleve.TotalRelationEq}}
	var all []quote
	err := ask(&m, func(x bleve.Index) (*answer, error) { return q.searchIn(ctx, x, r) }, func(x remote) (*answer, error) {
		return answerOf(x.Passages(ctx, r.search(&q, r.From+r.Size, 0))) // what is before the page, too
	}, func(_ bleve.Index, a *answer) error {
		all = append(all, a.hits...)
		res.add(&a.PassagesResult)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if res.Status = m.status(); res.Status.Failed > 0 && res.Status.Successful == 0 {
		return nil, fmt.Errorf("near: %w", failure(res.Status))
	}
	if res.PassedOver > 0 || res.Templates > 0 || res.Damaged > 0 || res.Status.Failed > 0 {
		res.TotalRelation = bleve.TotalRelationGte
	}
	slices.SortStableFunc(all, func(a, b quote) int {
		return cmp.Or(cmp.Compare(b.InHit.Value, a.InHit.Value), cmp.Compare(a.ID, b.ID))
	})
	all = all[min(r.From, len(all)):]
	all = all[:min(r.Size, len(all))]
	res.Hits = make([]PassagesHit, len(all))
	for i, f := range all {
		if f.finish != nil {
			if err := f.finish(&f.PassagesHit); err != nil {
				return nil, fmt.Errorf("near: hit %q: %w", f.ID, err)
			}
		}
		res.Hits[i] = f.PassagesHit
	}
	res.Took = time.Since(start)
	return res, nil
}

// resolve finds the document that q names, which is in one of the members.
func (q *PassagesQuery) resolve(ctx context.Context, m *members) error {
	if q.ID == "" || q.given != nil {
		return nil
	}
	asked, in := PassagesQuery{ID: q.ID, Field: q.Field, Within: q.Within}, ""
	err := ask(m, func(x bleve.Index) (*given, error) { return asked.givenIn(ctx, x) }, func(x remote) (*given, error) {
		found, err := x.PassagesOf(ctx, asked)
		if found == nil || err != nil {
			return nil, err
		}
		return found.given, nil
	}, func(x bleve.Index, own *given) error {
		switch {
		case own != nil && q.given != nil:
			return fmt.Errorf("near: id %q: wanted it in one member of the alias, got it in %q and %q; "+
				"give the text instead", q.ID, in, x.Name())
		case own != nil:
			q.given, in = own, x.Name()
		}
		return nil
	})
	switch {
	case err != nil || q.given != nil:
		return err
	case len(m.failed) > 0:
		return fmt.Errorf("near: id %q: %w", q.ID, failure(m.status()))
	}
	return fmt.Errorf("near: id %q: %w", q.ID, ErrNotFound)
}

// add adds what another result tells beside its hits.
func (r *PassagesResult) add(other *PassagesResult) {
	r.Total += other.Total
	r.PassedOver += other.PassedOver
	r.Templates += other.Templates
	r.Damaged += other.Damaged
	r.Words, r.Least = max(r.Words, other.Words), max(r.Least, other.Least)
}

// givenIn returns the document that q names, nil if x does not have it.
func (q *PassagesQuery) givenIn(ctx context.Context, x bleve.Index) (*given, error) {
	_, reader, err := indexes.Reader(x)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	number, err := reader.InternalID(q.ID)
	if number == nil || err != nil {
		return nil, err
	}
	f, err := q.quoter(ctx, reader, x.Mapping())
	if err != nil {
		return nil, err
	}
	return f.givenOf(q, number.Value())
}

// answer is what one index answers: the hits of a PassagesResult stand beside it.
type answer struct {
	PassagesResult
	hits []quote
}

// quote is a hit of one index. If it is on the page, finish adds the places of passages and the stored fields: nil where
// nothing is to be added.
type quote struct {
	PassagesHit
	finish func(*PassagesHit) error
}

// answerOf returns what an index in another process answers.
func answerOf(res *PassagesResult, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	a := &answer{PassagesResult: *res}
	for _, h := range res.Hits {
		a.hits = append(a.hits, quote{PassagesHit: h})
	}
	return a, nil
}

// searchIn returns the first hits of one index in this process.
func (q *PassagesQuery) searchIn(ctx context.Context, x bleve.Index, r PassagesRequest) (*answer, error) {
	sets, err := indexes.Templates(x, q.field())
	if err != nil {
		return nil, indexes.Closed(x, fmt.Errorf("near: %w", err))
	}
	c := comparison{query: q, named: r.Fields}
	if c.analyzer, err = neardup.Of(x.Mapping(), q.field()); err == nil {
		c.texts, err = verify.NewTexts(x.Mapping(), q.field(), sets...)
	}
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	s := r.search(q, r.From+r.Size, 0, append(c.texts.Fields(), signature.Field(q.field()).Sketch())...)
	rep := &passagesReport{query: q}
	res, err := x.SearchInContext(context.WithValue(ctx, reportKey{}, rep), s)
	if err != nil {
		return nil, err
	}
	c.least = rep.Least
	rep.Total = res.Total
	a := &answer{PassagesResult: rep.PassagesResult}
	for _, hit := range res.Hits {
		m := rep.matches[hit.IndexInternalID.Value()]
		h := PassagesHit{Words: m.words, Hit: Hit{Index: hit.Index, ID: hit.ID, Verified: m.verified, InHit: m.inHit, OfHit: m.ofHit}}
		a.hits = append(a.hits, quote{h, func(h *PassagesHit) error { return c.finish(h, hit) }})
	}
	return a, nil
}

// comparison compares hits of one index with the given text.
type comparison struct {
	query    *PassagesQuery
	named    []string // stored fields that are asked for
	texts    *verify.Texts
	analyzer *neardup.Analyzer
	least    int

	// The given text, once it is needed.
	given *text
	runs  *quoted
}

// finish adds to h what hit tells.
func (c *comparison) finish(h *PassagesHit, hit *search.DocumentMatch) error {
	if h.Verified {
		sig, err := stored.OfHit(hit, signature.Field(c.query.field()).Sketch())
		if err != nil {
			return err
		}
		own := c.texts.Find(sig, verify.OfHit(hit.Fields))
		if own == nil {
			return errors.New("wanted the stored text that was compared, got another")
		}
		c.compare(newText(own.Analyzer, own.Values), h)
	}
	stored.Strip(hit, c.named, c.texts.Fields()...)
	h.Fields = hit.Fields
	return nil
}

// text is the tokens of a text, with their places.
type text struct {
	values [][]byte // after char filters
	places [][]neardup.Place
	hashes [][]uint64
}

func newText(a *neardup.Analyzer, values [][]byte) *text {
	t := new(text)
	t.hashes, _ = tokens(a, values)
	for _, v := range values {
		filtered, places := a.Places(v)
		t.values, t.places = append(t.values, filtered), append(t.places, places)
	}
	return t
}

// compare says which passages the given text and another have in common.
func (c *comparison) compare(other *text, h *PassagesHit) {
	if c.given == nil {
		values := bytesOf(c.query.Text)
		if c.query.given != nil {
			values = bytesOf(c.query.given.Values)
		}
		c.given = newText(c.analyzer, values)
		c.runs = newQuoted(c.least, c.given.hashes)
	}
	common := c.runs.common(other.hashes)
	for _, s := range common.A {
		h.Given = append(h.Given, c.given.span(s))
	}
	for _, s := range common.B {
		h.Own = append(h.Own, other.span(s))
	}
	for _, p := range common.Pairs {
		own := other.span(p.B)
		h.Passages = append(h.Passages, Passage{
			Words: p.B.To - p.B.From, Given: c.given.span(p.A), Own: own, Text: string(other.values[own.Value][own.Start:own.End]),
		})
	}
	slices.SortStableFunc(h.Passages, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(a.Given.Value, b.Given.Value), cmp.Compare(a.Given.From, b.Given.From))
	})
}

// span returns the span of tokens with its bytes.
func (t *text) span(s tokenSpan) Span {
	places := t.places[s.Value]
	start, end := places[s.From].Start, places[s.To-1].End
	return Span{s.Value, s.From, s.To, int(start), int(max(start, end))}
}
