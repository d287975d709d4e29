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

// Part returns x as what a Search in another process asks, over package plugin/cluster/shards: it walks its own hits. In
// an alias in this process it is the same as x.
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
	answer, err := p.walk(parts.With(ctx, nil), want, want.Own(r))
	if err != nil {
		return nil, err
	}
	return want.Add(answer, p.Name()), nil
}

// Search implements bleve.Index.
func (p part) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return p.SearchInContext(context.Background(), r)
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
