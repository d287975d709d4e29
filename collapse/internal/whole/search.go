package whole

import (
	"cmp"
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Found is a page of hits, and their groups.
type Found struct {
	*bleve.SearchResult

	Groups []groups.Group // the groups whose head is on the page, in rank order, with all members
	Others []groups.Group // other groups of hits on the page
	Total  int            // groups
	Hidden int            // matches that are not shown at their rank
	Walk   *groups.Walk   // nil if nothing was asked of a Searcher
}

// Search answers a request by q on a local index or an alias of several. Each group shows
// the hit that is first in the order head, if there is one.
func Search(ctx context.Context, h *hits.Hits, field string, q Query, head search.SortOrder) (*Found, error) {
	x := h.Index().Bare()
	leaves, err := leavesOf(x)
	if err == nil {
		err = twice(leaves)
	}
	if err != nil {
		return nil, err
	}
	apart := len(head) > 0 && h.CountsFacets() // facets are counted afterwards
	j := &joint{query: q, search: h.Joint(q, len(leaves), !apart), tries: true}
	res, m, all, err := j.ask(ctx, leaves, x.Mapping())
	if j.again.Swap(false) {
		m.close()
		j.tries = false
		res, m, all, err = j.ask(ctx, leaves, x.Mapping())
	}
	defer m.close()
	if err != nil {
		return nil, err
	}
	shown := j.merge(res, m, all)
	for _, hit := range res.Hits {
		h.Strip(hit)
	}
	o := &Found{SearchResult: res}
	if m.set != nil {
		if err := m.set.tell(o, shown); err != nil {
			return nil, err
		}
		if err := cmp.Or(o.show(ctx, h, head), m.set.judges.err); err != nil {
			return nil, err
		}
	}
	if apart {
		o.Facets, err = m.facets(ctx, h, leaves, head)
	}
	return o, err
}

// tell fills in the groups of the page, and what was counted.
func (s *set) tell(o *Found, shown []found) error {
	o.Walk = s.walk
	o.Total, o.Hidden = s.groups()
	of, err := s.groupsOf(shown)
	if err != nil {
		return err
	}
	seen := make(map[*groups.Group]bool, len(of))
	for i, hit := range o.Hits {
		switch g := of[i]; {
		case g == nil: // of this hit alone
			o.Groups = append(o.Groups, groups.Group{Head: stored.Hit{DocumentMatch: hit}})
		case seen[g]:
		case hits.PlaceOf(g.Head.DocumentMatch) == hits.PlaceOf(hit):
			o.Groups = append(o.Groups, *g)
		default:
			o.Others = append(o.Others, *g)
		}
		seen[of[i]] = true
	}
	return nil
}

// show makes each group show the hit that is first in the order head.
func (o *Found) show(ctx context.Context, h *hits.Hits, head search.SortOrder) error {
	if len(head) == 0 {
		return nil
	}
	changed, err := o.Walk.Promote(ctx, h, o.Groups, head)
	if err != nil {
		return err
	}
	var heads search.DocumentMatchCollection
	for _, g := range changed {
		heads = append(heads, g.Head.DocumentMatch)
	}
	loaded, err := h.Named(ctx, heads, nil)
	if err != nil {
		return fmt.Errorf("collapse: head: %w", err)
	}
	for i, hit := range o.Hits {
		if g := changed[hits.PlaceOf(hit)]; g != nil {
			// What was deleted since is not loaded.
			o.Hits[i] = cmp.Or(loaded[hits.PlaceOf(g.Head.DocumentMatch)], g.Head.DocumentMatch)
		}
	}
	return nil
}
