package collapse

import (
	"cmp"
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// Part is an index as a member of an alias. Search then has signatures of its hits from
// memory, if it is a local index of type neardup, and asks for no more hits than it needs.
func Part(x bleve.Index) bleve.Index { return part{x} }

// part answers the Want of a search: see package parts.
type part struct{ anyIndex }

// anyIndex is bleve.Index under a name that, embedded, hides no method.
type anyIndex = bleve.Index

// VisitIndexes shows x to code that looks for the members of an alias.
func (p part) VisitIndexes(visit func(bleve.Index)) { visit(p.anyIndex) }

// SearchInContext implements bleve.Index.
func (p part) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	want := parts.In(ctx)
	if want == nil {
		return p.anyIndex.SearchInContext(ctx, r)
	}
	if err := indexes.Check(ctx, p.anyIndex); err != nil {
		return nil, invalid{fmt.Errorf("collapse: %w", err)}
	}
	if err := check(r, Options{}); err != nil {
		return nil, invalid{err}
	}
	answer, err := p.best(ctx, want, want.Own(r))
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
	found, hits, err := ranking.Page(ctx, p.anyIndex, cmp.Or(w.Field, signature.DefaultField), r, true)
	if found == nil || err != nil {
		return nil, err
	}
	ranked := make([]parts.Hit, len(hits))
	for i, hit := range hits {
		ranked[i].Hit = hit
	}
	found.Hits = nil
	return &parts.Answer{SearchResult: found, Ranked: ranked, More: uint64(len(hits)) < found.Total}, nil
}

// walk answers with the hits of a page.
func (p part) walk(ctx context.Context, w *parts.Want, r *bleve.SearchRequest) (*parts.Answer, error) {
	o, err := Options{Field: w.Field, Rule: w.Rule, Visible: w.PerGroup, Budget: w.Hits}.filled()
	if err != nil {
		return nil, err
	}
	one, err := openPage(p.anyIndex, r, o)
	if err != nil {
		return nil, err
	}
	defer one.close()
	one.want = max(0, min(w.Visible, o.Budget))
	one.walk.Reserve(one.want)
	all := make([]parts.Hit, 0, min(2*one.want, 2000)) // for more, there have to be as many
	for !one.full {
		hit, err := one.take(ctx)
		if err != nil {
			return nil, err
		}
		if hit.DocumentMatch != nil {
			all = append(all, parts.Hit{Hit: hit})
		}
	}
	if err := one.loadVisible(ctx, all); err != nil {
		return nil, err
	}
	found := one.hits.Result()
	if worst := one.hits.Worst(); worst != nil {
		found.Status = worst
	}
	return &parts.Answer{SearchResult: found, Ranked: all, More: !one.hits.Done()}, nil
}

// loadVisible loads what the caller wants of the visible hits. The others are not likely to be
// shown.
func (p *page) loadVisible(ctx context.Context, all []parts.Hit) error {
	if !ranking.Loads(p.request) {
		return nil
	}
	visible := make(map[*search.DocumentMatch]bool, len(p.walk.Hits))
	for _, hit := range p.walk.Hits {
		visible[hit] = true
	}
	for i := range all {
		if all[i].Bare = !visible[all[i].DocumentMatch]; all[i].Bare {
			all[i].Fields, all[i].Fragments = nil, nil
		}
	}
	return p.hits.Load(ctx, p.walk.Hits)
}
