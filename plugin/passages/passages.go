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
// such indexes, in this process or behind a shards.Remote. The lookup keeps 150 bytes in memory for a document of 400 words, which the first
// search after opening reads: about 1 µs a document. A [Query] is the same as a bleve query, also in JSON: [Parser] reads that.
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
// What templates leave out of the given document's signature (package plugin/templates) is passed over as well, and told in
// Templates: for a given text that is what its index leaves out of documents without a scope. With MaxShare 1 a template is found as any passage is.
package passages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/lookup"
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
	// bleve.TotalRelationGte where fingerprints were passed over or cannot be read, or a member failed.
	Total         uint64 `json:"total"`
	TotalRelation string `json:"total_relation"`

	// Words is the number of words of the given text, 0 if it is not stored, and Least the least number of words of a passage: of several
	// indexes, the largest.
	Words int `json:"words"`
	Least int `json:"least"`

	// PassedOver is the number of fingerprints that the guard did not follow since too many documents hold them, Templates of those
	// that it did not since they stand in a template alone, in all indexes together, and Damaged of documents whose
	// fingerprints cannot be read.
	PassedOver int `json:"passed_over,omitempty"`
	Templates  int `json:"templates,omitempty"`
	Damaged    int `json:"damaged,omitempty"`

	// Status is as bleve's: which members of an alias failed, of those in other processes.
	Status *bleve.SearchStatus `json:"status"`

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

// Search finds the documents that r asks for. An error wraps ErrNotFound if there is no document of the id. index is local, a
// shards.Remote, or an alias of such. A member in another process that fails is named in Status; if all fail, that is an error.
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
	if r.Size, err = lookup.CheckPage(r.Size, r.From, r.Filter); err != nil {
		return nil, fmt.Errorf("passages: %w", err)
	}
	leaves := indexes.Leaves(index)
	failed, err := q.resolve(ctx, leaves)
	if err != nil {
		return nil, err
	}
	res := &Result{TotalRelation: bleve.TotalRelationEq, Status: &bleve.SearchStatus{Total: len(leaves)}}
	all, err := q.searchAll(ctx, leaves, failed, r, res)
	if err != nil {
		return nil, err
	}
	if res.PassedOver > 0 || res.Templates > 0 || res.Damaged > 0 || res.Status.Failed > 0 {
		res.TotalRelation = bleve.TotalRelationGte
	}
	slices.SortStableFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(a.id(), b.id()))
	})
	all = all[min(r.From, len(all)):]
	all = all[:min(r.Size, len(all))]
	res.Hits = make([]Hit, len(all))
	for i, f := range all {
		if res.Hits[i], err = f.result(&q, r.Fields); err != nil {
			return nil, fmt.Errorf("passages: hit %q: %w", f.id(), err)
		}
	}
	res.Took = time.Since(start)
	return res, nil
}

// local returns an error if an index is closed, or in another process.
func local(leaf bleve.Index) error {
	if _, err := leaf.Advanced(); err != nil {
		return indexes.Closed(leaf, fmt.Errorf("passages: wanted a local index, or one that answers for passages, got another: %w", err))
	}
	return nil
}

// resolve finds the document that q names, which is in one of leaves, and returns why others could not be asked for it, by their
// places.
func (q *Query) resolve(ctx context.Context, leaves []bleve.Index) (failed map[int]error, err error) {
	failed = map[int]error{}
	search := q.ID != "" && q.given == nil
	var away answers[*Query]
	if search {
		asked := Query{ID: q.ID, Field: q.Field, Within: q.Within}
		away = ask(leaves, nil, func(r remote) (*Query, error) { return r.PassagesOf(ctx, asked) })
	}
	in := ""
	for i, leaf := range leaves {
		_, isRemote := leaf.(remote)
		if !isRemote {
			err = local(leaf)
		}
		if err != nil {
			return nil, indexes.Named(leaf.Name(), err)
		}
		if !search {
			continue
		}
		var own *given
		if isRemote {
			found, _, err := away.of(i)
			if err != nil {
				failed[i] = err
			} else if found != nil {
				own = found.given
			}
		} else if own, err = q.givenIn(ctx, leaf); err != nil {
			return nil, indexes.Named(leaf.Name(), err)
		}
		switch {
		case own != nil && q.given != nil:
			return nil, fmt.Errorf("passages: id %q: wanted it in one member of the alias, got it in %q and %q; give the text instead", q.ID, in, leaf.Name())
		case own != nil:
			q.given, in = own, leaf.Name()
		}
	}
	switch {
	case !search || q.given != nil:
		return failed, nil
	case len(failed) > 0:
		return nil, fmt.Errorf("passages: id %q: %w", q.ID, failure(leaves, failed))
	}
	return nil, fmt.Errorf("passages: id %q: %w", q.ID, ErrNotFound)
}

// failure joins the errors of members, by their places.
func failure(leaves []bleve.Index, failed map[int]error) error {
	var all []error
	for i, leaf := range leaves {
		if failed[i] != nil {
			all = append(all, fmt.Errorf("%s: %w", leaf.Name(), failed[i]))
		}
	}
	return fmt.Errorf("%d of %d members failed: %w", len(all), len(leaves), errors.Join(all...))
}

// searchAll returns the first hits of all members but those that have failed.
func (q *Query) searchAll(ctx context.Context, leaves []bleve.Index, failed map[int]error, r Request, res *Result) (all []found, err error) {
	away := ask(leaves, failed, func(m remote) (*Result, error) { return m.Passages(ctx, q.request(r)) })
	for i, leaf := range leaves {
		if failed[i] != nil {
			continue
		}
		got, isRemote, err := away.of(i)
		if !isRemote {
			own, err := q.searchIn(ctx, leaf, r, res)
			if err != nil {
				return nil, indexes.Named(leaf.Name(), err)
			}
			all = append(all, own...)
			continue
		}
		if err != nil {
			failed[i] = err
			continue
		}
		res.add(got)
		for n := range got.Hits {
			all = append(all, found{done: &got.Hits[n]})
		}
	}
	s := res.Status
	s.Failed, s.Successful = len(failed), len(leaves)-len(failed)
	if s.Failed > 0 && s.Successful == 0 {
		return nil, fmt.Errorf("passages: %w", failure(leaves, failed))
	}
	for i, err := range failed {
		if s.Errors == nil {
			s.Errors = bleve.IndexErrMap{}
		}
		s.Errors[leaves[i].Name()] = err
	}
	return all, nil
}

// add adds what another result tells beside its hits.
func (r *Result) add(other *Result) {
	r.Total += other.Total
	r.PassedOver += other.PassedOver
	r.Templates += other.Templates
	r.Damaged += other.Damaged
	r.Words, r.Least = max(r.Words, other.Words), max(r.Least, other.Least)
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

	done *Hit // of an index in another process, which has nothing of the above
}

func (f *found) share() float64 {
	if f.done != nil {
		return f.done.InHit.Value
	}
	return f.match.inHit.Value
}

func (f *found) id() string {
	if f.done != nil {
		return f.done.ID
	}
	return f.hit.ID
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
	s := lookup.Request(q, r.Filter, r.From+r.Size, 0, r.Fields, append(l.texts.Fields(), signature.SketchField(q.field()))...)
	rep := &report{query: q}
	hits, err := x.SearchInContext(context.WithValue(ctx, reportKey{}, rep), s)
	if err != nil {
		return nil, err
	}
	l.least = rep.least
	res.add(&Result{Total: hits.Total, PassedOver: rep.passed, Templates: rep.left, Damaged: rep.damaged, Words: rep.words, Least: rep.least})
	var all []found
	for _, hit := range hits.Hits {
		all = append(all, found{hit: hit, match: rep.matches[hit.IndexInternalID.Value()], leaf: l})
	}
	return all, nil
}

// result makes a Hit, without the stored fields that are not among names.
func (f *found) result(q *Query, names []string) (h Hit, err error) {
	if f.done != nil {
		return *f.done, nil
	}
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
	stored.Strip(f.hit, names, f.leaf.texts.Fields()...)
	h.Fields = f.hit.Fields
	return h, nil
}

// text is the tokens of a text, with their places.
type text struct {
	values [][]byte // after char filters
	places [][]neardup.Place
	hashes [][]uint64
}

func newText(a *neardup.Analyzer, values [][]byte) *text {
	t := &text{hashes: contain.Hashes(a, values)}
	for _, v := range values {
		filtered, places := a.Places(v)
		t.values, t.places = append(t.values, filtered), append(t.places, places)
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
	places := t.places[s.Value]
	start, end := places[s.From].Start, places[s.To-1].End
	return Span{s.Value, s.From, s.To, int(start), int(max(start, end))}
}
