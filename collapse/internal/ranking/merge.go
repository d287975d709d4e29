package ranking

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// merge merges hits that are in order, all or some, with the answers of parts, and drops what
// comes after the end of a list that has more. It reports whether the hits are all.
func (s *loaded) merge(order search.SortOrder, own search.DocumentMatchCollection, all bool, answers []*parts.Answer) (search.DocumentMatchCollection, bool, error) {
	lists := append(make([]parts.Answer, 0, 1+len(answers)), parts.Answer{Ranked: make([]parts.Hit, 0, len(own)), More: !all})
	for _, hit := range own {
		lists[0].Ranked = append(lists[0].Ranked, parts.Hit{Hit: stored.Hit{DocumentMatch: hit}})
	}
	sum := len(own)
	for _, p := range answers {
		lists = append(lists, *p)
		sum += len(p.Ranked)
		for _, hit := range p.Ranked {
			if len(hit.Sort) < len(order) {
				return nil, false, fmt.Errorf("collapse: hit %q of a part: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort))
			}
		}
	}
	for _, l := range lists {
		if len(l.Ranked) == 0 && l.More {
			return nil, false, nil
		}
	}
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*parts.Hit, sum)
	}
	less := before(order)
	hits := make(search.DocumentMatchCollection, 0, sum)
	for {
		best := -1
		for i, l := range lists {
			if len(l.Ranked) > 0 && (best < 0 || less(l.Ranked[0].DocumentMatch, lists[best].Ranked[0].DocumentMatch)) {
				best = i
			}
		}
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

// before reports the order of hits, by their ids where they tie.
func before(order search.SortOrder) func(a, b *search.DocumentMatch) bool {
	byScore, desc := order.CacheIsScore(), order.CacheDescending()
	return func(a, b *search.DocumentMatch) bool {
		if Tie(order, a, b) {
			return a.ID < b.ID
		}
		return order.Compare(byScore, desc, a, b) < 0
	}
}
