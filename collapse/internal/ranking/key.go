package ranking

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/numeric"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/collector"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Parts of a key that sort before and after every "_id": for a key of an order without one,
// as bleve takes hits that tie with it neither for before it nor for after it.
const (
	beforeAllIDs = ""
	afterAllIDs  = "\xff\xff\xff\xff"
)

// Keys returns the caller's keys for AtKey.
func (h *Hits) Keys() (after, before []string) { return Keys(h.caller, h.request.Sort) }

// Keys returns the keys of r for an order whose last part is "_id", which r's may
// lack.
func Keys(r *bleve.SearchRequest, order search.SortOrder) (after, before []string) {
	after, before = r.SearchAfter, r.SearchBefore
	if after != nil && len(after) < len(order) {
		after = append(slices.Clip(after), afterAllIDs)
	}
	if before != nil && len(before) < len(order) {
		before = append(slices.Clip(before), beforeAllIDs)
	}
	return after, before
}

// CheckKey returns an error for a key that bleve would not take.
func CheckKey(r *bleve.SearchRequest) error {
	if r.SearchAfter == nil && r.SearchBefore == nil {
		return nil
	}
	probe := *r
	if !bleve.IsScoreFusionRequested(r) {
		probe.Sort = Order(r.Sort)
	}
	if err := probe.Validate(); err != nil {
		return fmt.Errorf("collapse: wanted search_after or search_before as bleve takes it: %w", err)
	}
	return nil
}

// Two members of an alias can have a document of the same id. bleve's alias gives such hits in any order where they tie, in
// another one each time, and none of them after the key of one. Here they come in the order of the names of their indexes,
// and the name of the last one is told beside its key.

// several reports whether hits are of several indexes. A remote one might be an alias: then it is known when hits of two
// have come.
func (h *Hits) several() bool {
	_, local := h.source.(*local)
	return !local && (h.mixed || h.member != "" || len(indexes.Leaves(h.index.Bare())) > 1)
}

// ofSeveral reports whether hits are of several indexes.
func ofSeveral(hits search.DocumentMatchCollection) bool {
	return slices.ContainsFunc(hits, func(hit *search.DocumentMatch) bool { return hit.Index != hits[0].Index })
}

// Member is the index of the last hit that was given, "" if all hits are of one index. It counts after Key.
func (h *Hits) Member() string { return h.member }

// settled asks bleve for the hits that place says, and whether they are the last. Where the hits are of several
// indexes, they come in the order of ids and indexes where they tie, without those that tie with the last.
func (h *Hits) settled(ctx context.Context, place bleve.SearchRequest) (hits search.DocumentMatchCollection, all bool, err error) {
	hits, err = h.fetch(ctx, place)
	if all = len(hits) < place.Size; err == nil && !h.fusion && h.several() {
		hits = settle(h.request.Sort, hits, all)
	}
	return hits, all, err
}

// beyond returns about n of the hits after a hit of that key and member, and whether they are the last. There can be none of n although
// they are not the last.
func (h *Hits) beyond(ctx context.Context, key []string, member string, n int) (hits search.DocumentMatchCollection, all bool, err error) {
	place := bleve.SearchRequest{Sort: h.request.Sort, Size: n, SearchAfter: key}
	if member != "" {
		place.SearchAfter = beforeID(h.request.Sort, key)
	}
	hits, all, err = h.settled(ctx, place)
	if err != nil {
		return nil, false, err
	}
	end := slices.IndexFunc(hits, func(hit *search.DocumentMatch) bool { return !h.upTo(hit, key, member) })
	if end < 0 {
		end = len(hits)
	}
	return hits[end:], all, nil
}

// upTo reports whether hit is the one of that key and member, or comes before it. Of vectors alone, an alias gives that hit again.
func (h *Hits) upTo(hit *search.DocumentMatch, key []string, member string) bool {
	own, err := sortKey(h.request.Sort, hit)
	if err == nil && slices.Equal(own, key) {
		return member == "" || hit.Index <= member
	}
	one := search.DocumentMatchCollection{hit}
	return member != "" && len(collector.FilterHitsBySearchAfter(one, h.request.Sort, key)) == 0
}

// AfterPlace is AtKey after a hit of that key and member: see Resume.
func (h *Hits) AfterPlace(ctx context.Context, key []string, member string) (*search.DocumentMatch, error) {
	if member == "" {
		return h.AtKey(ctx, key, nil)
	}
	h.keyed = true
	for n := 8; ; n *= 8 { // until one is kept
		hits, all, err := h.beyond(ctx, key, member, n)
		if err != nil {
			return nil, err
		}
		hit, err := h.firstKept(hits)
		switch {
		case hit != nil || err != nil || all:
			return hit, err
		case n > h.options.Budget && len(hits) > 0:
			return hits[0], nil // beyond the budget, any will do
		}
	}
}

// AtKey returns the first hit after a key, or the last before one, nil if there is none. A key does not say which hits rank before it; they are
// walked from the top, by Next, until that hit comes.
func (h *Hits) AtKey(ctx context.Context, after, before []string) (*search.DocumentMatch, error) {
	h.keyed = true
	for n := 1; ; n *= 8 { // until one is kept
		hits, err := h.fetch(ctx, bleve.SearchRequest{Sort: h.request.Sort, SearchAfter: after, SearchBefore: before, Size: n})
		if err != nil {
			return nil, err
		}
		last := len(hits) < n || n > h.options.Budget
		if before != nil {
			slices.Reverse(hits) // the one that is next to the key comes first
		}
		hit, err := h.firstKept(hits)
		if hit != nil || err != nil {
			return hit, err
		}
		switch {
		case last && len(hits) == n:
			return hits[n-1], nil // beyond the budget, any will do
		case last:
			return nil, nil
		}
	}
}

// firstKept returns the first of the hits that the caller keeps, or nil.
func (h *Hits) firstKept(hits search.DocumentMatchCollection) (*search.DocumentMatch, error) {
	for _, hit := range hits {
		if kept, err := h.keeps(hit); kept || err != nil {
			return hit, err
		}
	}
	return nil, nil
}

// sortKey returns the key of hit for SearchRequest.SearchAfter.
func sortKey(order search.SortOrder, hit *search.DocumentMatch) ([]string, error) {
	key := make([]string, len(order))
	for i, part := range order {
		switch part.(type) {
		case *search.SortScore:
			key[i] = strconv.FormatFloat(hit.Score, 'g', -1, 64)
		case *search.SortDocID:
			key[i] = hit.ID
		default:
			if i >= len(hit.Sort) {
				return nil, fmt.Errorf("collapse: hit %q: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort))
			}
			key[i] = part.DecodeValue(hit.Sort[i])
		}
	}
	return key, nil
}

// continuable reports whether bleve takes key for one of r: a number, a distance or a
// date is where r sorts by one.
func continuable(r *bleve.SearchRequest, key []string) bool {
	probe := *r
	probe.From, probe.SearchAfter = 0, key
	return probe.Validate() == nil
}

// encodes reports whether bleve reads key back as what hit is sorted by. Of documents that
// lack the field it does not: their numbers and dates are none, and their distance is not
// a number, after which nothing comes.
func encodes(order search.SortOrder, hit *search.DocumentMatch, key []string) bool {
	for i, part := range order {
		ok := true
		switch part := part.(type) {
		case *search.SortScore:
			score, err := strconv.ParseFloat(key[i], 64)
			ok = err == nil && score == hit.Score
		case *search.SortGeoDistance:
			ok = encodesNumber(key[i], hit.Sort[i])
		case *search.SortField:
			switch part.Type {
			case search.SortFieldAsNumber:
				ok = encodesNumber(key[i], hit.Sort[i])
			case search.SortFieldAsDate:
				at, err := time.Parse(time.RFC3339Nano, key[i])
				ok = err == nil && encodesInt(at.UnixNano(), hit.Sort[i])
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func encodesNumber(key, sorted string) bool {
	n, err := strconv.ParseFloat(key, 64)
	return err == nil && encodesInt(numeric.Float64ToInt64(n), sorted)
}

func encodesInt(n int64, sorted string) bool {
	code, err := numeric.NewPrefixCodedInt64(n, 0)
	return err == nil && string(code) == sorted
}
