package whole

import (
	"context"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/hits"
)

// bleve counts facets of the hits at whose ranks groups stand. Where groups show others, the facets of
// these are counted by a search of each index for their ids.

// facets counts the facets that the caller asks for, of the first hit of each group in the order head.
func (j *joint) facets(ctx context.Context, h *hits.Hits, head search.SortOrder) (search.FacetResults, error) {
	var of map[*part][]string
	if j.set != nil { // else nothing matches
		var err error
		if of, err = j.set.first(ctx, h, head); err != nil {
			return nil, err
		}
	}
	ids := make([][]string, len(j.seats))
	for n, m := range j.seats {
		ids[n] = of[m.part]
	}
	return h.Facets(ctx, ids)
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
	instead := make(map[uint64]*search.DocumentMatch, len(best))
	for n, member := range best {
		if g := &s.walk.Groups[n]; member >= 0 {
			instead[g.Head.HitNumber] = g.Members[member].DocumentMatch
		}
	}
	ids := make(map[*part][]string, len(s.parts))
	for _, p := range s.parts {
		for _, m := range p.matches {
			hit := instead[m.doc]
			if hit == nil {
				hit = &search.DocumentMatch{IndexInternalID: m.id(s.buf[:]), HitNumber: m.doc}
			}
			if err := s.readID(hit); err != nil {
				return nil, err
			}
			of := s.partOf(hit)
			ids[of] = append(ids[of], hit.ID)
		}
	}
	return ids, nil
}
