package groups

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/hits"
)

// Rank alone decides which hits belong to a group, so a page needs no more hits than without
// an order of heads. Each group is then rewritten with another head.

// First returns for each group the member that comes before the head and all other members in an order, or -1. A hit
// that was deleted meanwhile comes last.
func First(ctx context.Context, h *hits.Hits, groups []Group, order search.SortOrder) ([]int, error) {
	var several search.DocumentMatchCollection
	for i := range groups {
		if g := &groups[i]; len(g.Members) > 0 {
			several = append(several, g.Matches()...)
		}
	}
	ranks, err := h.Ranks(ctx, several, order)
	if err != nil {
		return nil, fmt.Errorf("collapse: head: %w", err)
	}
	first := make([]int, len(groups))
	for i := range groups {
		first[i] = groups[i].first(ranks)
	}
	return first, nil
}

func (g *Group) first(ranks map[hits.Place]int) int {
	best, first := -1, ranks[hits.PlaceOf(g.Head.DocumentMatch)]
	for i, m := range g.Members {
		if n := ranks[hits.PlaceOf(m.DocumentMatch)]; n > 0 && (first == 0 || n < first) {
			best, first = i, n
		}
	}
	return best
}

// Promote makes each group show the hit that is first in an order, and returns the groups whose head that changes, by
// the place where they stand.
func (w *Walk) Promote(ctx context.Context, h *hits.Hits, groups []Group, order search.SortOrder) (map[hits.Place]*Group, error) {
	first, err := First(ctx, h, groups, order)
	if err != nil {
		return nil, err
	}
	changed := make(map[hits.Place]*Group)
	for i, member := range first {
		if g := &groups[i]; member >= 0 {
			w.promote(g, member)
			changed[hits.PlaceOf(g.Stands)] = g
		}
	}
	return changed, nil
}
