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
	"github.com/neardup/bleve-neardup/internal/runs"
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
	leaves := indexes.Leaves(index)
	failed, err := q.resolve(ctx, leaves)
	if err != nil {
		return nil, err
	}
	res := &PassagesResult{Result: Result{TotalRelation: bleve.TotalRelationEq}}
	all, err := q.searchAll(ctx, leaves, failed, r, res)
	if err != nil {
		return nil, err
	}
	if res.PassedOver > 0 || res.Templates > 0 || res.Damaged > 0 || res.Status.Failed > 0 {
		res.TotalRelation = bleve.TotalRelationGte
	}
	slices.SortStableFunc(all, func(a, b quote) int {
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(a.id(), b.id()))
	})
	all = all[min(r.From, len(all)):]
	all = all[:min(r.Size, len(all))]
	res.Hits = make([]PassagesHit, len(all))
	for i, f := range all {
		if res.Hits[i], err = f.result(&q, r.Fields); err != nil {
			return nil, fmt.Errorf("near: hit %q: %w", f.id(), err)
		}
	}
	res.Took = time.Since(start)
	return res, nil
}

// local returns an error if an index is closed, or in another process.
func local(leaf bleve.Index) error {
	if _, err := leaf.Advanced(); err != nil {
		return indexes.Closed(leaf, fmt.Errorf("near: wanted a local index, or one that answers for passages, got another: %w", err))
	}
	return nil
}

// resolve finds the document that q names, which is in one of leaves, and returns why others could not be
// asked for it, by their places.
func (q *PassagesQuery) resolve(ctx context.Context, leaves []bleve.Index) (failed map[int]error, err error) {
	failed = map[int]error{}
	search := q.ID != "" && q.given == nil
	var away map[int]func() (*PassagesQuery, error)
	if search {
		asked := PassagesQuery{ID: q.ID, Field: q.Field, Within: q.Within}
		away = ask(leaves, nil, func(r remote) (*PassagesQuery, error) { return r.PassagesOf(ctx, asked) })
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
			found, err := away[i]()
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
			return nil, fmt.Errorf("near: id %q: wanted it in one member of the alias, got it in %q and %q; "+
				"give the text instead", q.ID, in, leaf.Name())
		case own != nil:
			q.given, in = own, leaf.Name()
		}
	}
	switch {
	case !search || q.given != nil:
		return failed, nil
	case len(failed) > 0:
		return nil, fmt.Errorf("near: id %q: %w", q.ID, failure(status(leaves, failed)))
	}
	return nil, fmt.Errorf("near: id %q: %w", q.ID, ErrNotFound)
}

// status says which members failed.
func status(leaves []bleve.Index, failed map[int]error) *bleve.SearchStatus {
	s := &bleve.SearchStatus{Total: len(leaves), Failed: len(failed), Successful: len(leaves) - len(failed)}
	for i, err := range failed {
		if s.Errors == nil {
			s.Errors = bleve.IndexErrMap{}
		}
		s.Errors[leaves[i].Name()] = err
	}
	return s
}

// searchAll returns the first hits of all members but those that have failed.
func (q *PassagesQuery) searchAll(ctx context.Context, leaves []bleve.Index, failed map[int]error,
	r PassagesRequest, res *PassagesResult,
) (all []quote, err error) {
	away := ask(leaves, failed, func(m remote) (*PassagesResult, error) {
		return m.Passages(ctx, r.search(q, r.From+r.Size, 0)) // what is before the page, too
	})
	for i, leaf := range leaves {
		if failed[i] != nil {
			continue
		}
		answer, isRemote := away[i]
		if !isRemote {
			own, err := q.searchIn(ctx, leaf, r, res)
			if err != nil {
				return nil, indexes.Named(leaf.Name(), err)
			}
			all = append(all, own...)
			continue
		}
		got, err := answer()
		if err != nil {
			failed[i] = err
			continue
		}
		res.add(got)
		for n := range got.Hits {
			all = append(all, quote{done: &got.Hits[n]})
		}
	}
	res.Status = status(leaves, failed)
	if res.Status.Failed > 0 && res.Status.Successful == 0 {
		return nil, fmt.Errorf("near: %w", failure(res.Status))
	}
	return all, nil
}

// add adds what another result tells beside its hits.
func (r *PassagesResult) add(other *PassagesResult) {
	r.Total += other.Total
	r.PassedOver += other.PassedOver
	r.Templates += other.Templates
	r.Damaged += other.Damaged
	r.Words, r.Least = max(r.Words, other.Words), max(r.Least, other.Least)
}

// givenIn returns the document that q names, nil if leaf does not have it.
func (q *PassagesQuery) givenIn(ctx context.Context, leaf bleve.Index) (*given, error) {
	_, reader, err := indexes.Reader(leaf)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	number, err := reader.InternalID(q.ID)
	if number == nil || err != nil {
		return nil, err
	}
	f, err := q.quoter(ctx, reader, leaf.Mapping())
	if err != nil {
		return nil, err
	}
	return f.givenOf(q, number.Value())
}

// quote is a hit of one index.
type quote struct {
	hit   *search.DocumentMatch
	match passage
	leaf  *leaf

	done *PassagesHit // of an index in another process, which has nothing of the above
}

func (f *quote) share() float64 {
	if f.done != nil {
		return f.done.InHit.Value
	}
	return f.match.inHit.Value
}

func (f *quote) id() string {
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
func (q *PassagesQuery) searchIn(ctx context.Context, x bleve.Index, r PassagesRequest, res *PassagesResult) ([]quote, error) {
	sets, err := indexes.Templates(x, q.field())
	if err != nil {
		return nil, indexes.Closed(x, fmt.Errorf("near: %w", err))
	}
	l := new(leaf)
	if l.analyzer, err = neardup.Of(x.Mapping(), q.field()); err == nil {
		l.texts, err = verify.NewTexts(x.Mapping(), q.field(), sets...)
	}
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	s := r.search(q, r.From+r.Size, 0, append(l.texts.Fields(), signature.SketchField(q.field()))...)
	rep := &passagesReport{query: q}
	hits, err := x.SearchInContext(context.WithValue(ctx, reportKey{}, rep), s)
	if err != nil {
		return nil, err
	}
	l.least = rep.least
	res.add(&PassagesResult{
		Result: Result{Total: hits.Total, PassedOver: rep.passed},
		Words:  rep.words, Least: rep.least, Templates: rep.left, Damaged: rep.damaged,
	})
	var all []quote
	for _, hit := range hits.Hits {
		all = append(all, quote{hit: hit, match: rep.matches[hit.IndexInternalID.Value()], leaf: l})
	}
	return all, nil
}

// result makes a PassagesHit, without the stored fields that are not among names.
func (f *quote) result(q *PassagesQuery, names []string) (h PassagesHit, err error) {
	if f.done != nil {
		return *f.done, nil
	}
	h.Hit = Hit{Index: f.hit.Index, ID: f.hit.ID, Verified: f.match.verified, InHit: f.match.inHit, OfHit: f.match.ofHit}
	h.Words = f.match.words
	if h.Verified {
		sig, err := stored.OfHit(f.hit, signature.SketchField(q.field()))
		if err != nil {
			return h, err
		}
		values, a, _ := f.leaf.texts.Values(sig, verify.OfHit(f.hit.Fields))
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
	t := new(text)
	t.hashes, _ = tokens(a, values)
	for _, v := range values {
		filtered, places := a.Places(v)
		t.values, t.places = append(t.values, filtered), append(t.places, places)
	}
	return t
}

// compare says which passages the given text and another have in common.
func (l *leaf) compare(q *PassagesQuery, other *text, h *PassagesHit) {
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
