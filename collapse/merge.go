package collapse

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/search"
)

// merge merges hits that are in order, all or some, with what parts gave, and drops what
// is behind the end of a list that has more. It tells whether it is all.
func (s *stored) merge(order search.SortOrder, own search.DocumentMatchCollection, all bool, parts []*Ranked) (search.DocumentMatchCollection, bool, error) {
	lists := append(make([]Ranked, 0, 1+len(parts)), Ranked{hits: make([]rankedHit, 0, len(own)), more: !all})
	for _, hit := range own {
		lists[0].hits = append(lists[0].hits, rankedHit{DocumentMatch: hit})
	}
	sum := len(own)
	for _, p := range parts {
		lists = append(lists, *p)
		sum += len(p.hits)
		for _, hit := range p.hits {
			if len(hit.Sort) < len(order) {
				return nil, false, fmt.Errorf("collapse: hit %q of a part: wanted a sort key of %d parts, got %d", hit.ID, len(order), len(hit.Sort))
			}
		}
	}
	for _, l := range lists {
		if len(l.hits) == 0 && l.more {
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
			if len(l.hits) > 0 && (best < 0 || less(l.hits[0].DocumentMatch, lists[best].hits[0].DocumentMatch)) {
				best = i
			}
		}
		if best < 0 {
			return hits, true, nil
		}
		l := &lists[best]
		next := &l.hits[0]
		if best > 0 {
			s.ranked[next.DocumentMatch] = next
		}
		hits = append(hits, next.DocumentMatch)
		if l.hits = l.hits[1:]; len(l.hits) == 0 && l.more {
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
