package collapse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// Part returns x for use as a member of an alias. If x is a local index of type neardup, Search
// then finds the signatures of its hits in memory, and asks for no more hits than it needs.
func Part(x bleve.Index) bleve.Index { return part{x} }

// part answers the Want of a search: see package parts.
type part struct{ anyIndex }

// anyIndex is bleve.Index under a name that, embedded, hides no method.
type anyIndex = bleve.Index

// Inside returns the index.
func (p part) Inside() bleve.Index { return p.anyIndex }

// VisitIndexes shows x to code that looks for the members of an alias.
func (p part) VisitIndexes(visit func(bleve.Index)) { visit(p.anyIndex) }

// SearchInContext implements bleve.Index.
func (p part) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	want := parts.In(ctx)
	if want == nil {
		return p.anyIndex.SearchInContext(ctx, r)
	}
	if err := indexes.Check(ctx, p.anyIndex); err != nil {
		return nil, invalid(fmt.Errorf("collapse: %w", err))
	}
	if err := cmp.Or(hits.Check(r), want.Validate()); err != nil {
		return nil, invalid(err)
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
	found, ranked, err := hits.Page(ctx, p.anyIndex, w.Field, w.Fields, r, true)
	if found == nil || err != nil {
		return nil, err
	}
	found.Hits = nil
	return &parts.Answer{SearchResult: found, Ranked: ranked, More: uint64(len(ranked)) < found.Total}, nil
}

// plain answers with the hits that bleve finds.
func (p part) plain(ctx context.Context, w *parts.Want, r *bleve.SearchRequest) (*parts.Answer, error) {
	found, hits, err := hits.Plain(ctx, p.anyIndex, w.Field, w.Fields, r)
	if err != nil {
		return nil, err
	}
	found.Hits = nil
	return &parts.Answer{SearchResult: found, Ranked: hits}, nil
}

// walk answers with the hits of a page.
func (p part) walk(ctx context.Context, w *parts.Want, r *bleve.SearchRequest) (*parts.Answer, error) {
	h, err := hits.Open(p.anyIndex, r, hits.Options{Field: w.Field, Rule: w.Rule, Fields: w.Fields, Visible: max(1, w.PerGroup)})
	if err != nil {
		return nil, err
	}
	defer h.Close()
	o := &Options{Budget: cmp.Or(w.Hits, defaultBudget)}
	one := o.newPage(h, groups.Options{Field: w.Field, Rule: w.Rule, Fields: w.Fields, Visible: max(1, w.PerGroup)})
	defer one.walk.Release()
	one.to = max(0, min(w.Visible, o.Budget))
	one.walk.Reserve(one.to)
	all, err := one.takeAll(ctx)
	if err == nil {
		err = one.loadVisible(ctx, all, w.Load)
	}
	if err != nil {
		return nil, err
	}
	found := h.Result()
	found.Status = h.Index().Worst(found.Status)
	return &parts.Answer{SearchResult: found, Ranked: all, More: !one.done()}, nil
}

// takeAll takes hits until the page is full, and returns them.
func (p *page) takeAll(ctx context.Context) ([]parts.Hit, error) {
	if p.size == 0 {
		return nil, p.hits.Count(ctx)
	}
	all := make([]parts.Hit, 0, min(2*p.to, 2000)) // for more, there have to be as many
	for !p.full {
		hit, err := p.take(ctx)
		if err != nil {
			return nil, err
		}
		if hit != nil {
			all = append(all, parts.Hit{Hit: *hit, Values: slices.Clone(p.hits.Values())})
		}
	}
	return all, nil
}

// loadVisible loads what the caller wants of the visible hits, or of all. The others are not
// likely to be shown.
func (p *page) loadVisible(ctx context.Context, all []parts.Hit, each bool) error {
	if !p.hits.Loads() {
		return nil
	}
	visible := make(map[*search.DocumentMatch]bool, len(p.walk.Hits))
	for _, hit := range p.walk.Hits {
		visible[hit] = true
	}
	var load search.DocumentMatchCollection
	for i := range all {
		if hit := all[i].DocumentMatch; each || visible[hit] {
			load = append(load, hit)
			continue
		}
		all[i].Bare = true
		all[i].Fields, all[i].Fragments = nil, nil
	}
	return p.hits.Load(ctx, load)
}
