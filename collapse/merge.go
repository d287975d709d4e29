package collapse

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/search"
)

// merge merges hits that are in order, all or some, with what parts gave, and drops what
// is behind the end of a list that has more. It tells whether it is all.
func (s *stored) merge(order search.SortOrder, own search.DocumentMatchCollection, all bool, parts []*Ranked) (search.DocumentMatchCollection, bool, error) {
	lists := make([][]rankedHit, 1+len(parts))
	more := []bool{!all}
	for _, hit := range own {
		lists[0] = append(lists[0], rankedHit{DocumentMatch: hit})
	}
	sum := len(own)
	for i, p := range parts {
		lists[1+i], more = p.hits, append(more, p.more)
		sum += len(p.hits)
		for _, hit := range p.hits {
			if len(hit.Sort) < len(order) {
				return nil, false, fmt.Errorf("collapse: hit %q of a part: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort))
			}
		}
	}
	for i, l := range lists {
		if len(l) == 0 && more[i] {
			return nil, false, nil
		}
	}
	if s.ranked == nil {
		s.ranked = make(map[*search.DocumentMatch]*rankedHit, sum)
	}
	less := before(order)
	hits := make(search.DocumentMatchCollection, 0, sum)
	for {
		best := -1
		for i, l := range lists {
			if len(l) > 0 && (best < 0 || less(l[0].DocumentMatch, lists[best][0].DocumentMatch)) {
				best = i
			}
		}
		if best < 0 {
			return hits, true, nil
		}
		next := &lists[best][0]
		if best > 0 {
			s.ranked[next.DocumentMatch] = next
		}
		hits = append(hits, next.DocumentMatch)
		if lists[best] = lists[best][1:]; len(lists[best]) == 0 && more[best] {
			return hits, false, nil
		}
	}
}

// before reports the order of hits, by their ids where they tie.
func before(order search.SortOrder) func(a, b *search.DocumentMatch) bool {
	byScore, desc := order.CacheIsScore(), order.CacheDescending()
	return func(a, b *search.DocumentMatch) bool {
		if tie(order, a, b) {
			return a.ID < b.ID
		}
		return order.Compare(byScore, desc, a, b) < 0
	}
}
