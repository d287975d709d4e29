package collapse

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
)

// A key, SearchAfter or SearchBefore, does not tell which heads rank before it. bleve
// is asked which hit is the first behind it, or the last before it; then all hits are
// walked from the top until that one comes, as with From.

// Parts of a key that stand before and behind every "_id": for a key of an order
// without one, whose ties bleve takes neither for before it nor for behind it.
const (
	beforeAllIDs = ""
	behindAllIDs = "\xff\xff\xff\xff"
)

// keys returns the keys of r for an order whose last part is "_id", which r's may
// lack.
func keys(r *bleve.SearchRequest, order search.SortOrder) (after, before []string) {
	after, before = r.SearchAfter, r.SearchBefore
	if after != nil && len(after) < len(order) {
		after = append(slices.Clip(after), behindAllIDs)
	}
	if before != nil && len(before) < len(order) {
		before = append(slices.Clip(before), beforeAllIDs)
	}
	return after, before
}

// checkKey returns an error for a key that bleve would not take.
func checkKey(r *bleve.SearchRequest) error {
	if r.SearchAfter == nil && r.SearchBefore == nil {
		return nil
	}
	probe := *r
	if !bleve.IsScoreFusionRequested(r) {
		probe.Sort = ranking(r.Sort)
	}
	if err := probe.Validate(); err != nil {
		return fmt.Errorf("collapse: wanted search_after or search_before as bleve takes it: %w", err)
	}
	return nil
}

// toKey walks to the caller's key, and returns where the page begins among the visible
// hits and how many of those are wanted at the least.
func (s *scan) toKey(ctx context.Context) (from, want int, err error) {
	after, before := keys(s.caller, s.request.Sort)
	hits, err := s.fetch(ctx, bleve.SearchRequest{Sort: s.request.Sort, SearchAfter: after, SearchBefore: before, Size: 1})
	if err != nil {
		return 0, 0, err
	}
	switch {
	case len(hits) > 0:
		if err := s.walkTo(ctx, refOf(hits[0]), before != nil); err != nil {
			return 0, 0, err
		}
	case after != nil:
		s.behindAll = true
		if err := s.walkTo(ctx, Ref{}, false); err != nil && !errors.Is(err, ErrTooMany) {
			return 0, 0, err
		}
	}
	visible := len(s.walk.hits)
	s.walk.options.Budget = max(0, s.walk.options.Budget-s.taken)
	if before != nil {
		return max(0, visible-s.caller.Size), visible, nil
	}
	return visible, visible + min(s.caller.Size, s.walk.options.Budget), nil
}

// walkTo takes all hits before the one that stop names, and that one too if it is to
// be included, or all there are if it does not come.
func (s *scan) walkTo(ctx context.Context, stop Ref, included bool) error {
	begin := s.taken
	for budget := s.walk.options.Budget; !s.done; {
		spent := s.taken - begin
		if spent >= budget {
			return fmt.Errorf("collapse: wanted search_after or search_before among the first %d hits, the budget, got one beyond: %w", budget, ErrTooMany)
		}
		hits, all, err := s.more(ctx, min(max(2*s.caller.Size+20, 2*spent), budget-spent), budget)
		if err != nil {
			return err
		}
		for i, hit := range hits {
			here := refOf(hit) == stop
			if !here || included {
				s.take(hit, true)
			}
			if here {
				s.done = included && all && i == len(hits)-1
				return nil
			}
		}
		s.done = all
	}
	return nil
}
