package outcome

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Rank alone decides which hits belong to a group, so a page needs no more hits than without
// an order of heads. Each group is then rewritten with another head. Where the values of the order
// cannot be read with the hits, that takes two more searches: one for the order of the hits of all
// groups on the page, and one for the hits to show.

// Show makes each group show the hit that is first in an order, by searches of x.
func (o *Outcome) Show(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, order search.SortOrder) error {
	rank, err := o.ranks(ctx, x, request, order)
	if err != nil {
		return fmt.Errorf("collapse: head: %w", err)
	}
	return o.show(ctx, x, request, rank)
}

func (o *Outcome) show(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, rank map[ranking.Place]int) error {
	shown := o.promote(rank)
	if len(shown) == 0 {
		return nil
	}
	var ids []string
	for _, g := range shown {
		ids = append(ids, g.Head.ID)
	}
	asked := wanting(request, request.Fields, request.Highlight)
	asked.Sort = ranking.Order(request.Sort)
	hits, err := ranking.Named(ctx, x.SearchInContext, asked, ids)
	if err != nil {
		return fmt.Errorf("collapse: head: %w", err)
	}
	for _, hit := range hits {
		stored.Strip(hit, request.Fields)
		ranking.StripKey(hit, len(asked.Sort))
	}
	loaded := byPlace(hits)
	for i, hit := range o.Hits {
		if g := shown[ranking.PlaceOf(hit)]; g != nil {
			o.Hits[i] = loaded[ranking.PlaceOf(g.Head.DocumentMatch)]
			if o.Hits[i] == nil { // it was deleted since
				o.Hits[i] = g.Head.DocumentMatch
			}
		}
	}
	return nil
}

// ShowFirst makes each group show the hit that comes first in sorted.
func (o *Outcome) ShowFirst(sorted search.DocumentMatchCollection) {
	shown := o.promote(ranksOf(sorted))
	for i, hit := range o.Hits {
		if g := shown[ranking.PlaceOf(hit)]; g != nil {
			o.Hits[i] = g.Head.DocumentMatch
		}
	}
}

// Several returns the hits of all groups on the page that have members.
func (o *Outcome) Several() (hits search.DocumentMatchCollection) {
	for _, g := range o.Groups {
		if len(g.Members) > 0 {
			hits = append(hits, g.Head.DocumentMatch)
			for i := range g.Members {
				hits = append(hits, g.Members[i].DocumentMatch)
			}
		}
	}
	return hits
}

// promote makes the hit with the least rank the head of each group, and returns the groups whose
// head that changes, by the place where they stand.
func (o *Outcome) promote(rank map[ranking.Place]int) map[ranking.Place]*grouping.Group {
	changed := make(map[ranking.Place]*grouping.Group)
	for i := range o.Groups {
		g := &o.Groups[i]
		if best := best(g, rank); best >= 0 {
			o.Walk.Promote(g, best)
			changed[ranking.PlaceOf(g.Stands)] = g
		}
	}
	return changed
}

// ranks returns the places of the hits of all groups in an order.
func (o *Outcome) ranks(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, order search.SortOrder) (map[ranking.Place]int, error) {
	var ids []string
	for _, hit := range o.Several() {
		ids = append(ids, hit.ID)
	}
	asked := ranking.Among(request)
	asked.Sort = ranking.ByIDAtLast(ranking.Order(order))
	hits, err := ranking.Named(ctx, x.SearchInContext, asked, ids)
	return ranksOf(hits), err
}

// First returns the first hit of each group in an order, by a search of x.
func First(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, order search.SortOrder, groups []grouping.Group) (
	search.DocumentMatchCollection, error,
) {
	rank, err := (&Outcome{Groups: groups}).ranks(ctx, x, request, order)
	if err != nil {
		return nil, fmt.Errorf("collapse: head: %w", err)
	}
	first := make(search.DocumentMatchCollection, len(groups))
	for i := range groups {
		g := &groups[i]
		if first[i] = g.Head.DocumentMatch; len(g.Members) > 0 {
			if at := best(g, rank); at >= 0 {
				first[i] = g.Members[at].DocumentMatch
			}
		}
	}
	return first, nil
}

// best returns the member that comes before the head and all other members, or -1. A hit without
// a rank was deleted meanwhile and comes last.
func best(g *grouping.Group, rank map[ranking.Place]int) int {
	best, first := -1, rank[ranking.PlaceOf(g.Head.DocumentMatch)]
	for i := range g.Members {
		if n := rank[ranking.PlaceOf(g.Members[i].DocumentMatch)]; n > 0 && (first == 0 || n < first) {
			best, first = i, n
		}
	}
	return best
}
