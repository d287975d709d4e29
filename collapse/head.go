package collapse

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Rank alone decides which hits belong to a group, so a page needs no more hits than without
// Head. Each group is then rewritten with another head. That takes two more searches: one for
// the order of the hits of all groups on the page, and one for the hits to show.

// known has the hits of groups by their places.
type known map[Ref]stored.Hit

// add adds the hits of a group.
func (k known) add(g *grouping.Group) {
	k[refOf(g.Head.DocumentMatch)] = g.Head
	for i := range g.Members {
		k[refOf(g.Members[i].DocumentMatch)] = g.Members[i].Hit
	}
}

// show makes each group show the hit that is first in the order Head.
func (r *Result) show(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, o Options, of known) error {
	rank, err := r.ranks(ctx, x, request, o.Head)
	if err != nil {
		return fmt.Errorf("collapse: head: %w", err)
	}
	shown := make(map[Ref]*Group)
	var ids []string
	for i := range r.Groups {
		g := &r.Groups[i]
		if best := g.best(rank); best >= 0 {
			g.promote(best, o.Rule, of)
			shown[*g.Stands] = g
			ids = append(ids, g.Head.ID)
		}
	}
	asked := ranking.Among(request)
	asked.Sort, asked.Fields, asked.Highlight = ranking.Order(request.Sort), request.Fields, request.Highlight
	asked.Explain, asked.IncludeLocations = request.Explain, request.IncludeLocations
	hits, err := ranking.Named(ctx, x.SearchInContext, asked, ids)
	if err != nil {
		return fmt.Errorf("collapse: head: %w", err)
	}
	loaded := make(map[Ref]*search.DocumentMatch, len(hits))
	for _, hit := range hits {
		ranking.StripFields(hit, request.Fields)
		ranking.StripKey(hit, len(asked.Sort))
		loaded[refOf(hit)] = hit
	}
	for i, hit := range r.Hits {
		if g := shown[refOf(hit)]; g != nil {
			r.Hits[i] = loaded[g.Head]
			if r.Hits[i] == nil { // it was deleted since
				r.Hits[i] = of[g.Head].DocumentMatch
			}
		}
	}
	return nil
}

// ranks returns the places of the hits of all groups in an order.
func (r *Result) ranks(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, order search.SortOrder) (map[Ref]int, error) {
	var ids []string
	for _, g := range r.Groups {
		if len(g.Members) > 0 {
			ids = append(ids, g.Head.ID)
			for i := range g.Members {
				ids = append(ids, g.Members[i].ID)
			}
		}
	}
	asked := ranking.Among(request)
	asked.Sort = ranking.ByIDAtLast(ranking.Order(order))
	hits, err := ranking.Named(ctx, x.SearchInContext, asked, ids)
	rank := make(map[Ref]int, len(hits))
	for n, hit := range hits {
		rank[refOf(hit)] = n + 1
	}
	return rank, err
}

// best returns the member that comes before the head and all other members, or -1. A hit without
// a rank was deleted meanwhile and comes last.
func (g *Group) best(rank map[Ref]int) int {
	best, first := -1, rank[g.Head]
	for i := range g.Members {
		if n := rank[g.Members[i].Ref]; n > 0 && (first == 0 || n < first) {
			best, first = i, n
		}
	}
	return best
}

// promote makes a member the head. The old head becomes the first member, and the group stands
// at its rank.
func (g *Group) promote(best int, rule signature.Rule, of known) {
	stands := g.Head
	first := of[stands]
	g.Head = g.Members[best].Ref
	others := slices.Delete(slices.Clone(g.Members), best, best+1)
	g.Members = append([]Member{{Ref: stands, Score: first.Score, Hit: first.DocumentMatch}}, others...)
	g.Stands = &stands
	head := of[g.Head]
	for i := range g.Members {
		m := &g.Members[i]
		hit := of[m.Ref]
		m.Match, _ = rule.Match(head.Signature, hit.Signature)
		m.Key = hit.Key != 0 && hit.Key == head.Key
		m.Overlap = new(Overlap)
		if !m.Overlap.estimate(hit.Signature, head.Signature) {
			m.Overlap = nil
		}
	}
}
