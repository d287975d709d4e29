package ranking

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// merge merges hits that are in order, all or some, with the answers of parts, and drops what
// comes after the end of a list that has more. It reports whether the hits are all.
func (s *loaded) merge(order search.SortOrder, own search.DocumentMatchCollection, all bool, answers []*parts.Answer) (search.DocumentMatchCollection, bool, error) {
	lists, sum, err := listsOf(order, own, all, answers)
	if err != nil {
		return nil, false, err
	}
	if slices.ContainsFunc(lists, func(l parts.Answer) bool { return len(l.Ranked) == 0 && l.More }) {
		return nil, false, nil
	}
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*parts.Hit, sum)
	}
	compare := Compare(order)
	hits := make(search.DocumentMatchCollection, 0, sum)
	for {
		best := bestOf(lists, compare)
		if best < 0 {
			return hits, true, nil
		}
		l := &lists[best]
		next := &l.Ranked[0]
		if best > 0 {
			s.ranked[next.DocumentMatch] = next
		}
		hits = append(hits, next.DocumentMatch)
		if l.Ranked = l.Ranked[1:]; len(l.Ranked) == 0 && l.More {
			return hits, false, nil
		}
	}
}

// listsOf returns the lists to merge, and how many hits are in them: first the hits of parts
// that gave no answer.
func listsOf(order search.SortOrder, own search.DocumentMatchCollection, all bool, answers []*parts.Answer) (lists []parts.Answer, sum int, err error) {
	first := parts.Answer{Ranked: make([]parts.Hit, 0, len(own)), More: !all}
	for _, hit := range own {
		first.Ranked = append(first.Ranked, parts.Hit{Hit: stored.Hit{DocumentMatch: hit}})
	}
	lists = append(lists, first)
	for _, p := range answers {
		for _, hit := range p.Ranked {
			if len(hit.Sort) < len(order) {
				return nil, 0, fmt.Errorf("collapse: hit %q of a part: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort))
			}
		}
		lists = append(lists, *p)
		sum += len(p.Ranked)
	}
	return lists, sum + len(own), nil
}

// bestOf returns which list begins with the best hit, -1 if all are empty.
func bestOf(lists []parts.Answer, compare func(a, b *search.DocumentMatch) int) int {
	best := -1
	for i, l := range lists {
		if len(l.Ranked) > 0 && (best < 0 || compare(l.Ranked[0].DocumentMatch, lists[best].Ranked[0].DocumentMatch) < 0) {
			best = i
		}
	}
	return best
}

// Compare compares hits in an order, by their ids where they tie.
func Compare(order search.SortOrder) func(a, b *search.DocumentMatch) int {
	byScore, desc := order.CacheIsScore(), order.CacheDescending()
	return func(a, b *search.DocumentMatch) int {
		if Tie(order, a, b) {
			return ByID(a, b)
		}
		return order.Compare(byScore, desc, a, b)
	}
}

// plain searches for the hits of r, with their values where parts give them.
func (s *loaded) plain(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if !s.by.Any() || parts.In(ctx) != nil || r.From > 0 || r.Size == 0 || r.SearchBefore != nil {
		return s.index.SearchInContext(ctx, r)
	}
	order, size := Order(r.Sort), r.Size
	w := &parts.Want{Field: s.field, Fields: s.by, Plain: true}
	res, err := s.index.SearchInContext(parts.With(ctx, w), r)
	if err != nil {
		return nil, err
	}
	if len(w.Answers()) == 0 {
		return res, nil
	}
	for _, answer := range w.Answers() {
		for i := range answer.Ranked {
			hit := &answer.Ranked[i]
			s.remember(hit)
			res.Hits = append(res.Hits, hit.DocumentMatch)
		}
	}
	slices.SortStableFunc(res.Hits, Compare(order))
	res.Hits = res.Hits[:min(size, len(res.Hits))]
	return res, nil
}

// remember keeps what a part knows of a hit.
func (s *loaded) remember(hit *parts.Hit) {
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*parts.Hit)
	}
	s.ranked[hit.DocumentMatch] = hit
}
