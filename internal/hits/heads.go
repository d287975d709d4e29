package hits

import (
	"cmp"
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/fields"
)

// What a hit is sorted by can be read from the snapshot that the hit is of, as bleve's collector
// reads it. A search for the hits by their ids would run the query again, to find the matches that
// are known already.

// Sorted returns hits in an order, by "_id" where they tie, as far as they are still there. It does not change them.
func (h *Hits) Sorted(ctx context.Context, hits search.DocumentMatchCollection, order search.SortOrder) (
	search.DocumentMatchCollection, error,
) {
	sorted, ok, err := h.source.sorted(hits, order)
	if ok || err != nil {
		return sorted, err
	}
	r := among(h.caller)
	r.Sort = ByIDAtLast(Order(order))
	return ByIDs(ctx, h.index.SearchInContext, r, idsOf(hits))
}

// Ranks returns the places of hits in their order, from 1 on.
func Ranks(hits search.DocumentMatchCollection) map[Place]int {
	ranks := make(map[Place]int, len(hits))
	for n, hit := range hits {
		ranks[PlaceOf(hit)] = n + 1
	}
	return ranks
}

// sorted reads what hits are sorted by.
func (l *local) sorted(hits search.DocumentMatchCollection, order search.SortOrder) (
	search.DocumentMatchCollection, bool, error,
) {
	if len(l.searched) == 0 {
		return nil, false, nil
	}
	s := sorter{local: l, order: ByIDAtLast(Order(order)), readers: make(map[*snapshot]*fields.Reader)}
	s.names = slices.Compact(slices.Sorted(slices.Values(s.order.RequiredFields())))
	sorted, err := s.sort(hits)
	return sorted, true, err
}

type sorter struct {
	*local
	order   search.SortOrder
	names   []string // of the fields that it needs
	readers map[*snapshot]*fields.Reader
}

func (s *sorter) sort(hits search.DocumentMatchCollection) (search.DocumentMatchCollection, error) {
	type keyed struct{ key, hit *search.DocumentMatch }
	all := make([]keyed, len(hits))
	for i, hit := range hits {
		all[i] = keyed{&search.DocumentMatch{ID: hit.ID, IndexInternalID: hit.IndexInternalID, Score: hit.Score, Descendants: hit.Descendants}, hit}
	}
	// Values of neighbours are unpacked together.
	slices.SortFunc(all, func(a, b keyed) int {
		return cmp.Or(a.hit.IndexInternalID.Compare(b.hit.IndexInternalID), cmp.Compare(a.hit.ID, b.hit.ID))
	})
	for _, k := range all {
		if err := s.key(k.key, k.hit); err != nil {
			return nil, err
		}
	}
	scoring, desc := s.order.CacheIsScore(), s.order.CacheDescending()
	slices.SortStableFunc(all, func(a, b keyed) int { return s.order.Compare(scoring, desc, a.key, b.key) })
	sorted := make(search.DocumentMatchCollection, len(all))
	for i := range all {
		sorted[i] = all[i].hit
	}
	return sorted, nil
}

// key reads what a hit is sorted by.
func (s *sorter) key(key, hit *search.DocumentMatch) error {
	saw, id, err := s.find(hit)
	if err != nil {
		return err
	}
	if len(s.names) > 0 && id != nil {
		values := s.readers[saw]
		if values == nil {
			if values, err = fields.NewReader(saw.IndexReader, s.names); err != nil {
				return err
			}
			s.readers[saw] = values
		}
		for _, part := range append(slices.Clip(hit.Descendants), id) {
			if err := values.Visit(part, s.order.UpdateVisitor); err != nil {
				return err
			}
		}
	}
	s.order.Value(key)
	return nil
}
