package paging

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// Part is an index as a member of an alias, which answers the Want of a search: see package
// parts.
func Part(x bleve.Index) bleve.Index { return part{x} }

type part struct{ anyIndex }

// anyIndex is bleve.Index under a name that, embedded, hides no method.
type anyIndex = bleve.Index

// Inside returns the index that Part made x of, and false if it made none.
func Inside(x bleve.Index) (bleve.Index, bool) {
	p, ok := x.(part)
	return p.anyIndex, ok
}

// VisitIndexes shows x to code that looks for the members of an alias.
func (p part) VisitIndexes(visit func(bleve.Index)) { visit(p.anyIndex) }

// SearchInContext implements bleve.Index.
func (p part) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	want := parts.In(ctx)
	if want == nil {
		return p.anyIndex.SearchInContext(ctx, r)
	}
	if err := indexes.Check(ctx, p.anyIndex); err != nil {
		return nil, Invalid{fmt.Errorf("collapse: %w", err)}
	}
	if err := cmp.Or(CheckRequest(r), want.Validate()); err != nil {
		return nil, Invalid{err}
	}
	var answer *parts.Answer
	var err error
	if want.Plain {
		answer, err = p.plain(parts.With(ctx, nil), want, want.Own(r))
	} else {
		answer, err = p.best(ctx, want, want.Own(r))
	}
	if answer == nil && err == nil {
		answer, err = p.walk(parts.With(ctx, nil), want, want.Own(r))
	}
	if err != nil {
		return nil, err
	}
	return want.Add(answer, p.Name()), nil
}

// Search implements bleve.Index.
func (p part) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return p.SearchInContext(context.Background(), r)
}

// best answers with the best hits, as many as are to be visible, without a look at which of them
// hides which. It returns nil if that will not do.
func (p part) best(ctx context.Context, w *parts.Want, r *bleve.SearchRequest) (*parts.Answer, error) {
	if w.Walked() {
		return nil, nil
	}
	r.From, r.Size = 0, min(w.Visible, w.Hits)
	found, ranked, err := ranking.Page(ctx, p.anyIndex, w.Field, w.Fields, r, true)
	if found == nil || err != nil {
		return nil, err
	}
	found.Hits = nil
	return &parts.Answer{SearchResult: found, Ranked: ranked, More: uint64(len(ranked)) < found.Total}, nil
}

// plain answers with the hits that bleve finds.
func (p part) plain(ctx context.Context, w *parts.Want, r *bleve.SearchRequest) (*parts.Answer, error) {
	found, hits, err := ranking.Plain(ctx, p.anyIndex, w.Field, w.Fields, r)
	if err != nil {
		return nil, err
	}
	found.Hits = nil
	return &parts.Answer{SearchResult: found, Ranked: hits}, nil
}

// walk answers with the hits of a page.
func (p part) walk(ctx context.Context, w *parts.Want, r *bleve.SearchRequest) (*parts.Answer, error) {
	const defaultHits = 10_000
	budget := cmp.Or(w.Hits, defaultHits)
	one, err := Open(p.anyIndex, r, Options{
		Budget: budget,
		Groups: grouping.Options{Field: w.Field, Rule: w.Rule, Fields: w.Fields, Visible: max(1, w.PerGroup)},
	})
	if err != nil {
		return nil, err
	}
	defer one.Close()
	one.want = max(0, min(w.Visible, budget))
	one.Walk.Reserve(one.want)
	all, err := one.takeAll(ctx)
	if err == nil {
		err = one.loadVisible(ctx, all, w.Load)
	}
	if err != nil {
		return nil, err
	}
	found := one.Hits.Result()
	if worst := one.Hits.Worst(); worst != nil {
		found.Status = worst
	}
	return &parts.Answer{SearchResult: found, Ranked: all, More: !one.Done()}, nil
}

// takeAll takes hits until the page is full, and returns them.
func (p *Page) takeAll(ctx context.Context) ([]parts.Hit, error) {
	if p.request.Size == 0 {
		return nil, p.Hits.Count(ctx)
	}
	all := make([]parts.Hit, 0, min(2*p.want, 2000)) // for more, there have to be as many
	for !p.Full {
		hit, err := p.Take(ctx)
		if err != nil {
			return nil, err
		}
		if hit != nil {
			all = append(all, parts.Hit{Hit: *hit, Values: slices.Clone(p.Hits.Values())})
		}
	}
	return all, nil
}

// loadVisible loads what the caller wants of the visible hits, or of all. The others are not
// likely to be shown.
func (p *Page) loadVisible(ctx context.Context, all []parts.Hit, each bool) error {
	if !ranking.Loads(p.request) {
		return nil
	}
	if each {
		hits := make(search.DocumentMatchCollection, len(all))
		for i := range all {
			hits[i] = all[i].DocumentMatch
		}
		return p.Hits.Load(ctx, hits)
	}
	visible := make(map[*search.DocumentMatch]bool, len(p.Walk.Hits))
	for _, hit := range p.Walk.Hits {
		visible[hit] = true
	}
	for i := range all {
		if all[i].Bare = !visible[all[i].DocumentMatch]; all[i].Bare {
			all[i].Fields, all[i].Fragments = nil, nil
		}
	}
	return p.Hits.Load(ctx, p.Walk.Hits)
}
