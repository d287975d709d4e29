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
	order = ByIDAtLast(Order(order))
	keys, ok, err := h.keysBy(hits, order)
	if err != nil {
		return nil, err
	}
	if !ok {
		r := among(h.caller)
		r.Sort = order
		return ByIDs(ctx, h.index.SearchInContext, r, idsOf(hits))
	}
	scoring, desc := order.CacheIsScore(), order.CacheDescending()
	sorted := slices.Clone(hits)
	slices.SortStableFunc(sorted, func(a, b *search.DocumentMatch) int {
		return cmp.Or(order.Compare(scoring, desc, keys[a], keys[b]), ByID(a, b))
	})
	return sorted, nil
}

// keysBy returns what hits are sorted by, and false if their sources do not have it.
func (h *Hits) keysBy(hits search.DocumentMatchCollection, order search.SortOrder) (map[*search.DocumentMatch]*search.DocumentMatch, bool, error) {
	names := slices.Compact(slices.Sorted(slices.Values(order.RequiredFields())))
	readers := make(map[*snapshot]*fields.Reader)
	all := slices.Clone(hits)
	// Values of neighbours are unpacked together.
	slices.SortFunc(all, func(a, b *search.DocumentMatch) int {
		return cmp.Or(a.IndexInternalID.Compare(b.IndexInternalID), cmp.Compare(a.ID, b.ID))
	})
	keys := make(map[*search.DocumentMatch]*search.DocumentMatch, len(hits))
	for _, hit := range all {
		of := h.of(hit)
		if of == nil {
			return nil, false, nil
		}
		saw, id, err := of.at(hit)
		if saw == nil || err != nil {
			return nil, false, err
		}
		if len(names) > 0 && id != nil {
			if readers[saw] == nil {
				if readers[saw], err = fields.NewReader(saw.IndexReader, names); err != nil {
					return nil, false, err
				}
			}
			for _, part := range append(slices.Clip(hit.Descendants), id) {
				if err := readers[saw].Visit(part, order.UpdateVisitor); err != nil {
					return nil, false, err
				}
			}
		}
		key := &search.DocumentMatch{ID: hit.ID, IndexInternalID: hit.IndexInternalID, Score: hit.Score}
		order.Value(key)
		keys[hit] = key
	}
	return keys, true, nil
}

// Ranks returns the places of hits in their order, from 1 on.
func Ranks(hits search.DocumentMatchCollection) map[Place]int {
	ranks := make(map[Place]int, len(hits))
	for n, hit := range hits {
		ranks[PlaceOf(hit)] = n + 1
	}
	return ranks
}
