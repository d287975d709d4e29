package collapse

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// How many hits a page takes is known only when the copies among them are, and each
// question to an index in several places costs a round to all of them. So Search puts a
// Want into the context of its question, for members of an alias that know of it: such
// a part walks its own hits until enough of them would be visible if there were no other
// part, and answers with all of those, in their order and with their signatures. The
// lists are merged as far as the first of them that ends without being at its end, and
// walked again: a hit that stays in its part may be hidden by a head of another, and one
// that its part would hide may come back because its head is hidden itself.
//
// Every visible hit of the part whose list ends first is among the merged ones, or near
// to a head that is. So one round is enough for nearly all pages. A Want goes from the
// coordinator to a node, and from there to its partitions, in the same way.

type wantKey struct{}

// Want is what a Search asks of a part of its index. In JSON it goes to parts elsewhere.
type Want struct {
	// Field and Rule are as in Options, and nil stands for the same rule.
	Field string         `json:"field,omitempty"`
	Rule  signature.Rule `json:"rule,omitzero"`

	// Visible is how many hits are to be visible, PerGroup how many of a group are, and
	// Hits is how many are to be looked at, at the most.
	Visible  int `json:"visible"`
	PerGroup int `json:"per_group"`
	Hits     int `json:"hits"`

	mutex sync.Mutex
	parts []*Ranked
}

// Wanted returns the Want of the Search that ctx comes from, or nil. Who implements
// bleve.Index for an index elsewhere gives an answer to Add; who does not, and answers as
// bleve does, is asked for somewhat more hits, with their signatures as stored fields.
func Wanted(ctx context.Context) *Want {
	if ctx == nil {
		return nil
	}
	w, _ := ctx.Value(wantKey{}).(*Want)
	return w
}

// Ranked is the answer to a Want.
type Ranked struct {
	// SearchResult is bleve's, without hits.
	*bleve.SearchResult

	hits []rankedHit
	more bool // there are hits behind the last
}

// rankedHit is a hit with its signature, or why it has none.
type rankedHit struct {
	*search.DocumentMatch
	sig  *signature.Signature
	err  error
	bare bool // fields and highlights are not loaded
}

// Rank answers w from x: an index at hand, or an alias of parts.
func (w *Want) Rank(ctx context.Context, x bleve.Index, r *bleve.SearchRequest) (*Ranked, error) {
	if err := indexes.Check(ctx, x); err != nil {
		return nil, invalid{fmt.Errorf("collapse: %w", err)}
	}
	if err := check(r, Options{}); err != nil {
		return nil, invalid{err}
	}
	ctx = context.WithValue(ctx, wantKey{}, nil)
	walk, err := newWalk(Options{Field: w.Field, Rule: w.Rule, Visible: w.PerGroup, Budget: w.Hits})
	if err != nil {
		return nil, err
	}
	watch := &watched{anyIndex: x}
	s, err := newScan(watch, w.own(r), walk)
	if err != nil {
		return nil, err
	}
	defer s.source.close()
	want := max(0, min(w.Visible, walk.options.Budget))
	walk.reserve(want)
	defer walk.release()
	all := make([]rankedHit, 0, min(2*want, 2000)) // for more, there have to be as many
	walk.read = func(hit *search.DocumentMatch) (*signature.Signature, error) {
		sig, err := s.source.read(hit)
		all = append(all, rankedHit{DocumentMatch: hit, sig: sig, err: err})
		return sig, err
	}
	if err := s.run(ctx, want); err != nil {
		return nil, err
	}
	all = all[:s.taken] // the one behind was read, and refused
	if err := s.load(ctx, all); err != nil {
		return nil, err
	}
	base := *s.base
	base.Hits, base.Took = nil, s.took
	if watch.worst != nil {
		base.Status = watch.worst
	}
	return &Ranked{&base, all, !s.done}, nil
}

// Name makes all hits those of one index, whatever it is called where they were found.
func (r *Ranked) Name(index string) {
	for _, hit := range r.hits {
		hit.Index = index
	}
}

// Add makes the answer of a part known, and returns what bleve's alias is to merge. Of
// each part only one answer may be added. It panics if part is nil. Hits that name no index
// are of the one named.
func (w *Want) Add(part *Ranked, index string) *bleve.SearchResult {
	for _, hit := range part.hits {
		hit.Index = cmp.Or(hit.Index, index)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.parts = append(w.parts, part)
	return part.SearchResult
}

// Part is an index as a member of an alias: Search then has signatures of its hits from
// memory, if it is one of type neardup at hand, and asks for no more hits than it needs.
func Part(x bleve.Index) bleve.Index { return part{x} }

type part struct{ anyIndex }

// VisitIndexes shows x to those who look for the members of an alias.
func (p part) VisitIndexes(visit func(bleve.Index)) { visit(p.anyIndex) }

// SearchInContext implements bleve.Index.
func (p part) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	w := Wanted(ctx)
	if w == nil {
		return p.anyIndex.SearchInContext(ctx, r)
	}
	ranked, err := w.first(ctx, p.anyIndex, r)
	if ranked == nil && err == nil {
		ranked, err = w.Rank(ctx, p.anyIndex, r)
	}
	if err != nil {
		return nil, err
	}
	return w.Add(ranked, p.Name()), nil
}

// Search implements bleve.Index.
func (p part) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return p.SearchInContext(context.Background(), r)
}

// first is Rank without a look at what hides what: the best hits, as many as are to be
// visible. It returns nil if x does not rank by itself.
func (w *Want) first(ctx context.Context, x bleve.Index, request *bleve.SearchRequest) (*Ranked, error) {
	r := w.own(request)
	h, err := highlighter(r.Highlight)
	if err != nil {
		return nil, err
	}
	order := ranking(r.Sort)
	l := &local{index: x, field: cmp.Or(w.Field, signature.DefaultField), caller: r, highlighter: h}
	defer l.close()
	if rankable(ctx, l, r, order) == nil {
		return nil, nil
	}
	r.From, r.Size = 0, min(w.Visible, w.Hits)
	res, err := l.page(ctx, r, order)
	if err != nil || res == nil || l.searched[0].signatures == nil {
		return nil, err
	}
	hits := make([]rankedHit, 0, len(res.Hits))
	for _, hit := range res.Hits {
		own := rankedHit{DocumentMatch: hit}
		own.sig, own.err = l.read(hit)
		hits = append(hits, own)
	}
	res.Hits = nil
	return &Ranked{res, hits, uint64(len(hits)) < res.Total}, nil
}

// own returns a copy of r as it was before stored.search added the stored signature, for
// those that know of no Want.
func (w *Want) own(r *bleve.SearchRequest) *bleve.SearchRequest {
	own := *r
	if n := len(r.Fields) - 1; n >= 0 && r.Fields[n] == signature.SketchField(cmp.Or(w.Field, signature.DefaultField)) {
		own.Fields = r.Fields[:n:n]
	}
	return &own
}
