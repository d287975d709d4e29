package paging

import (
	"context"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// complete adds to the groups of the page the members that rank after it, and reports whether
// they are all. Only a near-duplicate of a head on the page can be such a member. It belongs to
// the first head in rank order that it matches, and all heads that rank before the end of the page
// are known: so the walk takes it as if it came next.
func (p *Page) complete(ctx context.Context) (bool, error) {
	switch {
	case p.Done() || p.request.Size == 0:
		return p.Hits.Worst() == nil, nil
	case !p.nearAlone():
		return false, nil
	}
	taken := p.taken()
	heads := p.heads(func(g *grouping.Group) bool { return g.At >= p.From })
	hits, all, err := p.Hits.Near(ctx, heads, taken, len(p.options.Head) > 0)
	if err != nil || !all {
		return false, err
	}
	for i := range hits {
		if !taken[ranking.PlaceOf(hits[i].DocumentMatch)] { // of another index with the same id
			p.Walk.Join(&hits[i], p.From)
		}
	}
	return p.Hits.Worst() == nil, nil
}

// nearAlone reports whether all members are near-duplicates of their heads. No lookup finds others.
func (p *Page) nearAlone() bool {
	return p.Walk.Fields.By == "" && !p.Walk.Together
}

// listed reports whether the pages before have listed the members of their heads that this page met, since they were complete.
func (p *Page) listed(ctx context.Context) (bool, error) {
	if !p.nearAlone() {
		return false, nil
	}
	return p.Hits.HasNear(ctx, p.heads(func(g *grouping.Group) bool { return g.At < p.From && len(g.Members) > 0 }))
}

// heads returns the signatures of the heads of some of the groups, as far as they have one.
func (p *Page) heads(of func(*grouping.Group) bool) (all []*signature.Signature) {
	for i := range p.Walk.Groups {
		if g := &p.Walk.Groups[i]; g.Head.Err == nil && of(g) {
			all = append(all, g.Head.Signature)
		}
	}
	return all
}

// taken has the places of all hits that are in groups.
func (p *Page) taken() map[ranking.Place]bool {
	taken := make(map[ranking.Place]bool)
	for i := range p.Walk.Groups {
		g := &p.Walk.Groups[i]
		taken[ranking.PlaceOf(g.Head.DocumentMatch)] = true
		for n := range g.Members {
			taken[ranking.PlaceOf(g.Members[n].DocumentMatch)] = true
		}
	}
	return taken
}
