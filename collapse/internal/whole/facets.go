package whole

import (
	"context"
	"maps"
	"math"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/idquery"
)

// bleve counts facets of the hits at whose ranks groups stand. Where groups show others, the facets of
// these are counted by a search of each index for their ids.

// unlimited returns facets without a limit of terms: one that is frequent in one index alone can be frequent in all.
func unlimited(asked bleve.FacetsRequest) bleve.FacetsRequest {
	own := maps.Clone(asked)
	for name, f := range own {
		all := *f
		all.Size = math.MaxInt
		own[name] = &all
	}
	return own
}

// facets counts the facets that request asks for, of the first hit of each group in the order head.
func (m *meeting) facets(ctx context.Context, x *ranking.Watched, leaves []leaf, request *bleve.SearchRequest,
	head search.SortOrder,
) (search.FacetResults, error) {
	var ids map[*part][]string
	if m.set != nil { // else nothing matches
		var err error
		if ids, err = m.set.first(ctx, x, request, head); err != nil {
			return nil, err
		}
	}
	var all search.FacetResults
	for i, l := range leaves {
		r := bleve.SearchRequest{Query: idquery.New(ids[m.parts[i]]), Facets: unlimited(request.Facets)}
		found, err := l.SearchInContext(ctx, &r)
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = found.Facets
		default:
			all.Merge(found.Facets)
		}
	}
	for name, f := range request.Facets {
		all.Fixup(name, f.Size)
	}
	return all, nil
}

// first returns the ids of the hits that are shown, by part, if each group shows its first hit in an order.
func (s *set) first(ctx context.Context, x *ranking.Watched, request *bleve.SearchRequest, order search.SortOrder) (
	map[*part][]string, error,
) {
	if err := s.detail(nil); err != nil {
		return nil, err
	}
	for n := range s.walk.Groups {
		if err := s.readIDs(&s.walk.Groups[n]); err != nil {
			return nil, err
		}
	}
	best, err := outcome.First(ctx, x, request, order, s.walk.Groups)
	if err != nil {
		return nil, err
	}
	instead := make(map[place]*search.DocumentMatch, len(best))
	for n, hit := range best {
		head := s.walk.Groups[n].Head.DocumentMatch
		instead[placeOf(found{head, s.partOf(head)})] = hit
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
