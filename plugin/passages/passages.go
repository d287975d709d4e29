// Package passages finds the documents of an index that share a passage, word for word, with a text or with
// another document: quotes, excerpts, replies that quote a mail whole, plagiarism.
//
//	result, err := passages.Search(ctx, index, passages.Request{Query: passages.Query{Text: []string{text}}})
//	for _, hit := range result.Hits {
//		fmt.Println(hit.ID, hit.InHit, hit.Passages[0].Text)
//	}
//
// It takes the option "passages" of the field's analyzer, which says how many words a passage has at least. 50 is
// right for plagiarism and quoted mails. [Search] works on an index of type neardup, and on an alias of
// such indexes in this process. A [Query] is the same as a bleve query.
//
// # What is promised
//
// Every document that has as many words in a row in common with the given text is found, always: package winnow
// says why. Words are equal if the analyzer makes equal tokens of them, so case, punctuation and space do not matter. No
// passage crosses from one value of a field to the next. A text of fewer words has no passage.
//
// A document whose text is stored matches only if its text has such a passage, and the shares and places in its Hit are exact. Of a
// document whose text is not stored, the selected fingerprints decide: it shares one, and the
// shares are estimates. A text counts as stored where package plugin/similar takes it for a document's own.
//
// What many documents quote, such as a disclaimer, makes fingerprints that many documents hold. The guard,
// Query.MaxShare, passes over these. Search has it on unless asked, and says in PassedOver and TotalRelation
// when it was of consequence. A document that is found by another passage is shown with all it shares.
// What templates leave out of signatures takes part: a template is found as any passage is.
package passages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/runs"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Request asks for the documents that share passages with one.
type Request struct {
	// Query says with which. A boost has no effect.
	Query Query

	// Filter leaves only the documents that it matches; nil leaves all.
	Filter query.Query

	// Size and From are the page: Size hits, 10 if 0, from the From-th on.
	Size, From int

	// Fields are the stored fields to load with each hit.
	Fields []string
}

// Result is the documents that share passages with one.
type Result struct {
	// Hits is the page: the one with most of the given text first, then by id.
	Hits []Hit `json:"hits"`

	// Total is the number of documents on all pages, and TotalRelation whether that is exact: bleve.TotalRelationEq, or
	// bleve.TotalRelationGte where fingerprints were passed over or cannot be read.
	Total         uint64 `json:"total"`
	TotalRelation string `json:"total_relation"`

	// Words is the number of words of the given text, 0 if it is not stored, and Least the least number of words of a passage: of several
	// indexes, the largest.
	Words int `json:"words"`
	Least int `json:"least"`

	// PassedOver is the number of fingerprints that the guard did not follow, in all indexes together, and Damaged of
	// documents whose fingerprints cannot be read.
	PassedOver int `json:"passed_over,omitempty"`
	Damaged    int `json:"damaged,omitempty"`

	// Took is the time of the search.
	Took time.Duration `json:"took"`
}

// Hit is a document that shares a passage. Its JSON has an id that is not UTF-8 as collapse.Ref's has.
type Hit struct {
	collapse.Ref

	// Verified says that the texts were compared. What follows is then exact. Otherwise the shares are
	// estimates, and there is neither a number of words nor a span.
	Verified bool `json:"verified"`

	// InHit is the share of the given text's words that stand in passages of the hit, and OfHit the share of the hit's words
	// that stand in passages of the given text. At 1, one contains the other whole.
	InHit resemblance.Estimate `json:"in_hit"`
	OfHit resemblance.Estimate `json:"of_hit"`

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

	// Fields are the stored fields that were asked for.
	Fields map[string]any `json:"fields,omitempty"`
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

// ErrNotFound: no index has a document of the id.
var ErrNotFound = errors.New("no such document")

// Search finds the documents that r asks for. An error wraps ErrNotFound if there is no document of the id. index is local, or an alias of
// local indexes.
func Search(ctx context.Context, index bleve.Index, r Request) (*Result, error) {
	start := time.Now()
	if err := indexes.Check(ctx, index); err != nil {
		return nil, fmt.Errorf("passages: %w", err)
	}
	q := r.Query
	q.BoostVal = nil // scores alone bring the hits in order here
	if q.MaxShare == 0 {
		q.MaxShare = DefaultMaxShare
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	var err error
	if r.Size, err = indexes.Page(cmp.Or(r.Size, 10), r.From); err != nil {
		return nil, fmt.Errorf("passages: %w", err)
	}
	if r.Filter != nil && indexes.NoQuery(r.Filter) {
		return nil, fmt.Errorf("passages: filter: wanted a query, got a nil %T", r.Filter)
	}
	leaves := indexes.Leaves(index)
	if err := q.resolve(ctx, leaves); err != nil {
		return nil, err
	}
	res := &Result{TotalRelation: bleve.TotalRelationEq}
	var all []found
	for _, leaf := range leaves {
		own, err := q.searchIn(ctx, leaf, r, res)
		if err != nil {
			return nil, named(leaf, err)
		}
		all = append(all, own...)
	}
	if res.PassedOver > 0 || res.Damaged > 0 {
		res.TotalRelation = bleve.TotalRelationGte
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.match.inHit.Value, a.match.inHit.Value), cmp.Compare(a.hit.ID, b.hit.ID))
	})
	all = all[min(r.From, len(all)):]
	all = all[:min(r.Size, len(all))]
	res.Hits = make([]Hit, len(all))
	for i, f := range all {
		if res.Hits[i], err = f.result(&q, r.Fields); err != nil {
			return nil, fmt.Errorf("passages: hit %q: %w", f.hit.ID, err)
		}
	}
	res.Took = time.Since(start)
	return res, nil
}

// named names the index of an error, where it has a name.
func named(leaf bleve.Index, err error) error {
	if leaf.Name() == "" {
		return err
	}
	return fmt.Errorf("index %q: %w", leaf.Name(), err)
}

// local returns an error if an index is closed, or in another process.
func local(leaf bleve.Index) error {
	if _, err := leaf.Advanced(); err != nil {
		return indexes.Closed(leaf, fmt.Errorf("passages: wanted a local index, got one that cannot be read here: %w", err))
	}
	return nil
}

// resolve finds the document that q names, which is in one of leaves.
func (q *Query) resolve(ctx context.Context, leaves []bleve.Index) error {
	in := ""
	for _, leaf := range leaves {
		if err := local(leaf); err != nil {
			return named(leaf, err)
		}
		if q.ID == "" {
			continue
		}
		own, err := q.givenIn(ctx, leaf)
		switch {
		case err != nil:
			return named(leaf, err)
		case own != nil && q.given != nil:
			return fmt.Errorf("passages: id %q: wanted it in one member of the alias, got it in %q and %q; give the text instead", q.ID, in, leaf.Name())
		case own != nil:
			q.given, in = own, leaf.Name()
		}
	}
	if q.ID != "" && q.given == nil {
		return fmt.Errorf("passages: id %q: %w", q.ID, ErrNotFound)
	}
	return nil
}

// givenIn returns the document that q names, nil if leaf does not have it.
func (q *Query) givenIn(ctx context.Context, leaf bleve.Index) (*given, error) {
	_, reader, err := indexes.Reader(leaf)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	number, err := reader.InternalID(q.ID)
	if number == nil || err != nil {
		return nil, err
	}
	f, err := q.finder(ctx, reader, leaf.Mapping())
	if err != nil {
		return nil, err
	}
	return f.givenOf(q, number.Value())
}

// found is a hit of one index.
type found struct {
	hit   *search.DocumentMatch
	match match
	leaf  *leaf
}

// leaf is an index in which there are hits.
type leaf struct {
	texts    *verify.Texts
	analyzer *neardup.Analyzer
	least    int

	// The given text, once it is needed.
	given *text
	runs  *runs.Text
}

// searchIn returns the first hits of one index, and adds what else it tells to res.
func (q *Query) searchIn(ctx context.Context, x bleve.Index, r Request, res *Result) ([]found, error) {
	sets, err := indexes.Templates(x, q.field())
	if err != nil {
		return nil, indexes.Closed(x, fmt.Errorf("passages: %w", err))
	}
	l := new(leaf)
	if l.analyzer, err = neardup.Of(x.Mapping(), q.field()); err == nil {
		l.texts, err = verify.NewTexts(x.Mapping(), q.field(), sets...)
	}
	if err != nil {
		return nil, fmt.Errorf("passages: %w", err)
	}
	s := bleve.NewSearchRequestOptions(q, r.From+r.Size, 0, false)
	if r.Filter != nil {
		filtered := query.NewBooleanQuery([]query.Query{q}, nil, nil)
		filtered.AddFilter(r.Filter)
		s.Query = filtered
	}
	s.Fields = append(append(slices.Clone(r.Fields), signature.SketchField(q.field())), l.texts.Fields()...)
	s.SortBy([]string{"-_score", "_id"})
	rep := &report{query: q}
	hits, err := x.SearchInContext(context.WithValue(ctx, reportKey{}, rep), s)
	if err != nil {
		return nil, err
	}
	l.least = rep.least
	res.Total += hits.Total
	res.PassedOver += rep.passed
	res.Damaged += rep.damaged
	res.Words, res.Least = max(res.Words, rep.words), max(res.Least, rep.least)
	var all []found
	for _, hit := range hits.Hits {
		all = append(all, found{hit, rep.matches[hit.IndexInternalID.Value()], l})
	}
	return all, nil
}

// result makes a Hit, without the stored fields that are not among names.
func (f *found) result(q *Query, names []string) (h Hit, err error) {
	h = Hit{Ref: collapse.Ref{Index: f.hit.Index, ID: f.hit.ID}, Verified: f.match.verified, InHit: f.match.inHit, OfHit: f.match.ofHit, Words: f.match.words}
	if h.Verified {
		sig, err := stored.OfHit(f.hit, signature.SketchField(q.field()))
		if err != nil {
			return h, err
		}
		values, a := f.leaf.texts.Values(sig, verify.OfHit(f.hit.Fields))
		if values == nil {
			return h, errors.New("wanted the stored text that was compared, got another")
		}
		f.leaf.compare(q, newText(a, values), &h)
	}
	surplus := f.leaf.texts.Fields()
	maps.DeleteFunc(f.hit.Fields, func(field string, _ any) bool {
		return (signature.Reserved(field) || slices.Contains(surplus, field)) && !slices.Contains(names, field) && !slices.Contains(names, "*")
	})
	if len(f.hit.Fields) > 0 {
		h.Fields = f.hit.Fields
	}
	return h, nil
}

// text is the tokens of a text, with their places.
type text struct {
	values [][]byte // after char filters
	tokens [][]signature.Token
	hashes [][]uint64
}

func newText(a *neardup.Analyzer, values [][]byte) *text {
	t := &text{hashes: hashes(a, values)}
	for _, v := range values {
		filtered, tokens := a.Tokens(v)
		t.values, t.tokens = append(t.values, filtered), append(t.tokens, tokens)
	}
	return t
}

// compare says which passages the given text and another have in common.
func (l *leaf) compare(q *Query, other *text, h *Hit) {
	if l.given == nil {
		values := make([][]byte, len(q.Text))
		for i, v := range q.Text {
			values[i] = []byte(v)
		}
		if q.given != nil {
			values = q.given.values
		}
		l.given = newText(l.analyzer, values)
		l.runs = runs.New(l.least, l.given.hashes)
	}
	c := l.runs.Common(other.hashes)
	for _, s := range c.A {
		h.Given = append(h.Given, l.given.span(s))
	}
	for _, s := range c.B {
		h.Own = append(h.Own, other.span(s))
	}
	for _, p := range c.Pairs {
		own := other.span(p.B)
		h.Passages = append(h.Passages, Passage{
			Words: p.B.To - p.B.From, Given: l.given.span(p.A), Own: own, Text: string(other.values[own.Value][own.Start:own.End]),
		})
	}
	slices.SortStableFunc(h.Passages, func(a, b Passage) int {
		return cmp.Or(cmp.Compare(a.Given.Value, b.Given.Value), cmp.Compare(a.Given.From, b.Given.From))
	})
}

// span returns the span of tokens with its bytes.
func (t *text) span(s runs.Span) Span {
	tokens := t.tokens[s.Value]
	return Span{s.Value, s.From, s.To, tokens[s.From].Start, max(tokens[s.From].Start, tokens[s.To-1].End)}
}
