package whole

import (
	"context"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/hits"
)

// bleve counts facets of the hits at whose ranks groups stand. Where groups show others, the facets of
// these are counted by a search of each index for their ids.

// facets counts the facets that the caller asks for, of the first hit of each group in the order head.
func (m *meeting) facets(ctx context.Context, h *hits.Hits, leaves []leaf, head search.SortOrder) (search.FacetResults, error) {
	var ids map[*part][]string
	if m.set != nil { // else nothing matches
		var err error
		if ids, err = m.set.first(ctx, h, head); err != nil {
			return nil, err
		}
	}
	indexes, some := make([]bleve.Index, len(leaves)), make([][]string, len(leaves))
	for i, l := range leaves {
		indexes[i], some[i] = l.anyIndex, ids[m.parts[i]]
	}
	return h.Facets(ctx, indexes, some)
}

// first returns the ids of the hits that are shown, by part, if each group shows its first hit in an order.
func (s *set) first(ctx context.Context, h *hits.Hits, order search.SortOrder) (map[*part][]string, error) {
	if err := s.detail(nil); err != nil {
		return nil, err
	}
	for n := range s.walk.Groups {
		if err := s.readIDs(&s.walk.Groups[n]); err != nil {
			return nil, err
		}
	}
	best, err := groups.First(ctx, h, s.walk.Groups, order)
	if err != nil {
		return nil, err
	}
	instead := make(map[place]*search.DocumentMatch, len(best))
	for n, member := range best {
		if g := &s.walk.Groups[n]; member >= 0 {
			head := g.Head.DocumentMatch
			instead[placeOf(found{head, s.partOf(head)})] = g.Members[member].DocumentMatch
		}
	}
	ids := make(map[*part][]string, len(s.parts))
	for _, p := range s.parts {
		for _, m := range p.matches {
			id := p.id(m, s.buf[:])
			if hit := instead[place{p, string(id)}]; hit != nil {
				of := s.partOf(hit)
				ids[of] = append(ids[of], hit.ID)
				continue
			}
			name, err := p.reader.ExternalID(id)
			if err != nil {
				return nil, err
			}
			ids[p] = append(ids[p], name)
		}
	}
	return ids, nil
}
