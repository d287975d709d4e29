package whole

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

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
	Known  bool           // the families of the indexes were
	Walk   *groups.Walk   // nil if nothing was asked of a Searcher
}

// Search answers a request by q, whose Searchers are of this package, on a local index or an alias of several. Each
// group shows the hit that is first in the order head, if there is one.
func Search(ctx context.Context, h *hits.Hits, q query.Query, head search.SortOrder) (*Found, error) {
	j, err := newJoint(ctx, q, h.Leaves())
	if err != nil {
		return nil, err
	}
	defer j.close()
	apart := len(head) > 0 && h.CountsFacets() // facets are counted afterwards
	res, of, err := h.Joint(ctx, q, !apart, j.search)
	switch {
	case j.err != nil:
		return nil, j.err
	case err == nil && j.set == nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	for _, hit := range res.Hits {
		h.Strip(hit)
	}
	o := &Found{SearchResult: res}
	if j.set != nil {
		h.ReadFrom(func(hit *search.DocumentMatch) index.IndexReader { return j.set.partOf(hit).reader })
		defer h.ReadFrom(nil)
		docs := make([]uint64, len(res.Hits))
		for i, hit := range res.Hits {
			docs[i] = docOf(slices.Index(j.set.parts, j.seats[of[hit]].part), hit.IndexInternalID.Value())
		}
		if err := j.set.tell(o, docs); err != nil {
			return nil, err
		}
		if err := cmp.Or(o.show(ctx, h, head), ctx.Err()); err != nil {
			return nil, err
		}
	}
	if apart {
		o.Facets, err = j.facets(ctx, h, head)
	}
	return o, err
}

// tell fills in the groups of the page, whose hits are these matches, and what was counted.
func (s *set) tell(o *Found, docs []uint64) error {
	o.Walk, o.Known = s.walk, s.known
	o.Total, o.Hidden = len(s.walk.Groups)+s.counted.groups+s.counted.lonely, s.walk.Hidden+s.counted.hidden
	of, err := s.groupsOf(docs)
	if err != nil {
		return err
	}
	seen := make(map[*groups.Group]bool, len(of))
	for i, hit := range o.Hits {
		switch g := of[docs[i]]; {
		case g == nil: // of this hit alone
			o.Groups = append(o.Groups, groups.Group{Head: stored.Hit{DocumentMatch: hit}})
		case seen[g]:
		case g.Head.HitNumber == docs[i]:
			o.Groups = append(o.Groups, *g)
		default:
			o.Others = append(o.Others, *g)
		}
		seen[of[docs[i]]] = true
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
