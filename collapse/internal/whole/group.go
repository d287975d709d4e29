package whole

import (
	"cmp"
	"iter"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// group leaves the matches that stay, in the parts.
func (s *set) group() error {
	defer trace.StartRegion(s.ctx, "collapse.group").End()
	if err := s.ready(); err != nil {
		return err
	}
	in, ranked, err := s.members()
	if err != nil {
		return err
	}
	s.in = in
	hidden := make([]bool, len(s.matches))
	for family := range familiesOf(in) {
		if err := s.groupFamily(family, ranked, hidden); err != nil {
			return err
		}
	}
	if err := s.walk.Err(); err != nil {
		return s.options.Wrap(err)
	}
	if s.walk.Unsigned > 0 && s.options.Unsigned != nil {
		if err := s.options.Unsigned(); err != nil {
			return err
		}
	}
	for _, hit := range s.walk.Hits {
		hidden[hit.HitNumber] = false
	}
	begin, stay := 0, 0
	for n, end := range s.ends {
		s.parts[n].matches = without(s.matches[begin:end], hidden[begin:end])
		begin, stay = end, stay+len(s.parts[n].matches)
	}
	s.counted.lonely = stay - s.counted.visible - len(s.walk.Hits)
	return nil
}

// without returns the matches that are not hidden, in the memory of all.
func without(all []match, hidden []bool) []match {
	kept := all[:0]
	for i, m := range all {
		if !hidden[i] {
			kept = append(kept, m)
		}
	}
	return kept
}

// familiesOf yields the families of members, which are in their order, scope by scope.
func familiesOf(in []member) iter.Seq[[]member] {
	return func(yield func([]member) bool) {
		for begin, end := 0, 0; begin < len(in); begin = end {
			for end = begin + 1; end < len(in) && in[end].family == in[begin].family && in[end].scope == in[begin].scope; end++ {
			}
			if !yield(in[begin:end]) {
				return
			}
		}
	}
}

// groupFamily groups the members of a family: it counts them if that is enough.
func (s *set) groupFamily(family []member, ranked bool, hidden []bool) error {
	of := family[0].family
	if ranked && s.counts() && of != column.Unreadable {
		if s.cliques[of] && s.walk.Visible == 1 {
			s.counted.clique(family, hidden)
			return nil
		}
		return s.count(family, hidden, &s.counted)
	}
	for _, m := range family {
		hidden[m.at] = true
	}
	return s.walkFamily(family, ranked)
}

// walkFamily has the walk take the members of a family, in head order.
func (s *set) walkFamily(family []member, ranked bool) error {
	all := make([]search.DocumentMatch, len(family))
	hits := make(search.DocumentMatchCollection, len(family))
	of := make(map[*search.DocumentMatch]*member, len(family))
	for n := range family {
		m := &family[n]
		p := s.parts[m.part()]
		all[n] = search.DocumentMatch{Index: p.index, IndexInternalID: p.id(m.match, nil), Score: m.score, HitNumber: uint64(m.at)}
		hits[n] = &all[n]
		of[hits[n]] = m
		if one := s.hit(m); one.Damaged() { // it is reported
			if err := s.readID(hits[n]); err != nil {
				return err
			}
		}
	}
	settle := s.settle
	if ranked {
		settle = func(tied search.DocumentMatchCollection) error {
			slices.SortFunc(tied, func(a, b *search.DocumentMatch) int { return cmp.Compare(of[a].rank, of[b].rank) })
			return nil
		}
	}
	if err := s.sort(hits, settle); err != nil {
		return err
	}
	s.walk.Begin(len(family))
	var one stored.Hit // which the walk copies
	for _, hit := range hits {
		one = s.hit(of[hit])
		one.DocumentMatch, one.Scope, one.Key = hit, of[hit].scope, of[hit].key
		s.walk.Take(&one, true)
	}
	return s.judges.err
}
