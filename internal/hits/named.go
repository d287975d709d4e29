package hits

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Hits of which the ids are known are searched for among the matches, wherever they rank: to sort them in another
// order, to tell more of them, or since they can be members of a group.

// Ranks returns the places of hits in an order, from 1 on, by "_id" where they tie, as far as the hits are still there.
func (h *Hits) Ranks(ctx context.Context, hits search.DocumentMatchCollection, order search.SortOrder) (map[Place]int, error) {
	r := among(h.caller)
	r.Sort = ByIDAtLast(Order(order))
	var sorted search.DocumentMatchCollection
	var err error
	// Parts of documents that match are sorted by, too.
	parts := slices.ContainsFunc(hits, func(hit *search.DocumentMatch) bool { return len(hit.Descendants) > 0 })
	if !parts {
		sorted, err = h.sorted(ctx, hits, r.Sort)
	}
	if sorted == nil && err == nil {
		if !parts && !slices.ContainsFunc(r.Sort, search.SearchSort.RequiresScoring) {
			r = bleve.SearchRequest{Sort: r.Sort} // the documents alone say how they sort
		}
		sorted, err = ByIDs(ctx, h.index.SearchInContext, r, idsOf(hits))
	}
	ranks := make(map[Place]int, len(sorted))
	for n, hit := range sorted {
		ranks[PlaceOf(hit)] = n + 1
	}
	return ranks, err
}

// sorted brings copies of hits in an order, by the values of the snapshots that they are of: package column keeps these,
// and bleve unpacks a block for each hit. It returns nil if these cannot say it of a hit.
func (h *Hits) sorted(ctx context.Context, hits search.DocumentMatchCollection, order search.SortOrder) (search.DocumentMatchCollection, error) {
	names, readers := order.RequiredFields(), make(map[index.IndexReader]*fields.Reader)
	sorted := make(search.DocumentMatchCollection, len(hits))
	var values fields.Values
	for i, hit := range hits {
		r := h.readerOf(hit)
		if r == nil {
			return nil, nil
		}
		id, err := r.ExternalID(hit.IndexInternalID)
		if err != nil || id != hit.ID { // its number is of another snapshot
			return nil, nil
		}
		if readers[r] == nil {
			if readers[r], err = fields.NewReader(r, names); err != nil {
				return nil, err
			}
		}
		if values, err = readers[r].Append(values[:0], hit.IndexInternalID); err == nil {
			err = values.Each(names, order.UpdateVisitor)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		sorted[i] = &search.DocumentMatch{Index: hit.Index, ID: hit.ID, Score: hit.Score}
		order.Value(sorted[i])
	}
	slices.SortFunc(sorted, Compare(order))
	return sorted, nil
}

// ReadFrom says of which snapshots hits are that Next did not give, until it is called with nil.
func (h *Hits) ReadFrom(reader func(hit *search.DocumentMatch) index.IndexReader) { h.reader = reader }

// readerOf returns the snapshot that a hit is of, nil if that is not known.
func (h *Hits) readerOf(hit *search.DocumentMatch) index.IndexReader {
	if h.reader != nil {
		return h.reader(hit)
	}
	if l, ok := h.of(hit).(*local); ok && hit.IndexInternalID != nil {
		if s := l.snapshot(hit); s != nil {
			return s.IndexReader
		}
	}
	return nil
}

// Named returns the matches among some hits, by their places, with the fields and highlights that w wants of them: what
// the caller's request asks for if w is nil. What was deleted since is not among them.
func (h *Hits) Named(ctx context.Context, hits search.DocumentMatchCollection, w *bleve.SearchRequest) (map[Place]*search.DocumentMatch, error) {
	r := among(h.caller)
	if w == nil {
		r.Sort, w = Order(h.caller.Sort), h.caller
	}
	h.tell(&r, w)
	found, err := ByIDs(ctx, h.index.SearchInContext, r, idsOf(hits))
	of := make(map[Place]*search.DocumentMatch, len(found))
	for _, hit := range found {
		stored.Strip(hit, w.Fields)
		h.StripKey(hit)
		of[PlaceOf(hit)] = hit
	}
	return of, err
}

// tell makes r ask for the fields and highlights of w.
func (h *Hits) tell(r, w *bleve.SearchRequest) {
	r.Fields, r.Highlight = slices.Clone(w.Fields), w.Highlight
	r.Explain, r.IncludeLocations = h.caller.Explain, h.caller.IncludeLocations
}

// Relatives returns the ids of all matches that can be members of the groups of these heads: near-duplicates of a
// head, and matches with its key. Hits that skip names are left out. It returns false if they cannot all be found,
// since a part of the index is remote or not of type neardup, a key can have several heads, the order is not of hits
// alone, or there are more than most.
func (h *Hits) Relatives(ctx context.Context, heads []*stored.Hit, skip map[Place]bool, most int) (ids map[string]bool, all bool, err error) {
	if h.fusion || HasKNN(h.caller) || h.options.Fields.Most > 1 {
		return nil, false, nil
	}
	ids = make(map[string]bool)
	for _, x := range indexes.Leaves(h.index.anyIndex) {
		if all, err := h.near(ctx, x, heads, skip, most, ids); !all || err != nil {
			return nil, false, err
		}
	}
	all, err = h.keyed(ctx, heads, skip, most, ids)
	return ids, all, err
}

// Rest returns the matches of these ids, in rank order, without those that skip names. If they
// might be shown, they have what the caller wants to know of such hits.
func (h *Hits) Rest(ctx context.Context, ids map[string]bool, skip map[Place]bool, shown bool) (rest []stored.Hit, err error) {
	r := among(h.caller)
	if r.Sort = h.request.Sort; shown {
		h.tell(&r, h.caller)
	}
	found, err := ByIDs(ctx, h.search, r, slices.Collect(maps.Keys(ids)))
	for _, hit := range found {
		one, err := h.known(hit)
		if err != nil {
			return nil, err
		}
		if !skip[PlaceOf(hit)] { // else of another index with the same id
			rest = append(rest, one)
		}
	}
	return rest, err
}

// near adds the ids of the documents of one index that are near-duplicates of a head, unless values decide alone. It
// reports whether these are all.
func (h *Hits) near(ctx context.Context, x bleve.Index, heads []*stored.Hit, skip map[Place]bool, most int, ids map[string]bool) (
	all bool, err error,
) {
	reader, err := indexes.Reader(x)
	if err != nil { // it is closed, which the search reports, or in another process
		return false, nil
	}
	defer reader.Close()
	if h.options.Fields.Alone() {
		return true, nil
	}
	signatures := column.Of(reader, h.options.Field)
	if signatures == nil {
		return false, nil
	}
	lookup, err := signatures.Lookup(ctx, h.options.Rule, table.Plan{}, "")
	if err != nil {
		return false, err
	}
	var probe table.Probe
	for _, head := range heads {
		if head.Err != nil {
			continue
		}
		probe.Prepare(h.options.Rule, table.Plan{}, head.Signature, 0)
		lookup.Near(&probe, func(doc uint64) bool {
			var id string
			if id, err = reader.ExternalID(column.Number(doc)); err == nil && !skip[Place{x.Name(), id}] {
				ids[id] = true
			}
			return err == nil && len(ids) <= most && ctx.Err() == nil
		})
		if err != nil {
			return false, err
		}
	}
	return len(ids) <= most, ctx.Err()
}

// keyed adds the ids of the matches that have one of the values of the key of a head, and reports whether these are
// all. They are not if a head is not among them: its values are no terms of the field then.
func (h *Hits) keyed(ctx context.Context, heads []*stored.Hit, skip map[Place]bool, most int, ids map[string]bool) (bool, error) {
	keys := make(map[uint32]bool)
	for _, head := range heads {
		keys[head.Key] = true
	}
	one := bleve.NewDisjunctionQuery()
	for _, value := range h.numbers.Values(keys) {
		term := bleve.NewTermQuery(value)
		term.SetField(h.options.Fields.By)
		one.AddQuery(term)
	}
	if len(one.Disjuncts) == 0 {
		return true, nil
	}
	r := among(h.caller)
	// Without scores bleve stops as soon as it has so many, and counts no others.
	r.Query, r.Score, r.Size = bleve.NewConjunctionQuery(r.Query, one), "none", most+1
	found, err := h.index.SearchInContext(ctx, &r)
	if err != nil || len(found.Hits) > most {
		return false, err
	}
	places := make(map[Place]bool, len(found.Hits))
	for _, hit := range found.Hits {
		places[PlaceOf(hit)] = true
		if !skip[PlaceOf(hit)] {
			ids[hit.ID] = true
		}
	}
	return !slices.ContainsFunc(heads, func(head *stored.Hit) bool {
		return head.Key != fields.None && head.Scope != fields.Apart && !places[PlaceOf(head.DocumentMatch)]
	}), nil
}
