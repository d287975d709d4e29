package whole

import (
	"cmp"
	"iter"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// group leaves the matches that stay, in the parts.
func (s *set) group() error {
	defer trace.StartRegion(s.ctx, "collapse.group").End()
	in, known, err := s.members()
	if err != nil {
		return err
	}
	if err := s.readKeys(in); err != nil {
		return err
	}
	s.in, s.known = in, known
	s.hidden = make([]bool, len(s.matches))
	counts := known && s.counts() && !s.walk.Fields.Any()
	for family := range familiesOf(in) {
		if counts && family[0].family != column.Unreadable {
			err = s.count(family)
		} else {
			err = s.walkFamily(family)
		}
		if err != nil {
			return err
		}
	}
	if err := s.walk.Err(); err != nil {
		return hits.Wrong(err)
	}
	begin, stay := 0, 0
	for _, p := range s.parts {
		end := begin + len(p.matches)
		p.matches = without(s.matches[begin:end], s.hidden[begin:end])
		begin, stay = end, stay+len(p.matches)
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

// familiesOf yields the families of members, which are in their order.
func familiesOf(in []member) iter.Seq[[]member] {
	return func(yield func([]member) bool) {
		for begin, end := 0, 0; begin < len(in); begin = end {
			for end = begin + 1; end < len(in) && in[end].family == in[begin].family; end++ {
			}
			if !yield(in[begin:end]) {
				return
			}
		}
	}
}

// A page shows a few groups of thousands. So where the order of heads is by score, and then by id, it is only counted
// which matches of a family stay. The members of a group, and how alike they are, are found for the families of the
// hits on the page alone, by a walk.

// count is what is known of matches without a walk.
type count struct {
	groups, visible, hidden int // of families
	lonely                  int // matches of no family, each a group
}

// counts reports whether the order of heads is simple enough to count by.
func (s *set) counts() bool { return s.byScore && len(s.desc) == 1 && s.desc[0] }

// count marks the members of a family that are hidden: those that a groups.Walk would hide, but without its groups.
func (s *set) count(family []member) (err error) {
	order := s.order[:0]
	for n := range family {
		order = append(order, &family[n])
	}
	s.order = order
	compare := func(a, b *member) int {
		c, e := s.compare(a, b)
		err = cmp.Or(err, e)
		return c
	}
	if family[0].family&column.Clique != 0 && s.walk.Visible == 1 {
		first := slices.MinFunc(order, compare) // it hides all others
		for _, m := range order {
			s.hidden[m.at] = m != first
		}
		s.counted.groups++
		s.counted.visible++
		s.counted.hidden += len(family) - 1
		return err
	}
	slices.SortFunc(order, compare)
	s.heads.Reset()
	s.heads.Reserve(len(family))
	s.own, s.shown = slices.Grow(s.own[:0], len(family)), s.shown[:0]
	for n, m := range order {
		sig, e := s.parts[m.part()].signatures.At(m.number())
		if err = cmp.Or(err, e); err != nil {
			return err
		}
		s.own = append(s.own, sig)
		at := s.heads.First(&s.own[n])
		if at < 0 {
			at = len(s.shown)
			s.heads.Add(&s.own[n])
			s.shown = append(s.shown, 0)
		}
		if s.hidden[m.at] = s.shown[at] == s.walk.Visible; s.hidden[m.at] {
			s.counted.hidden++
		} else {
			s.counted.visible++
			s.shown[at]++
		}
	}
	s.counted.groups += len(s.shown)
	return nil
}

// compare compares members in the order of heads where counts reports true. Ids are read only where scores are equal,
// and their ranks are not known.
func (s *set) compare(a, b *member) (c int, err error) {
	if c = cmp.Compare(b.score, a.score); c != 0 {
		return c, nil
	}
	if c = cmp.Compare(a.rank, b.rank); a.rank == 0 || b.rank == 0 {
		own, wrong := s.id(a)
		other, err := s.id(b)
		return cmp.Or(cmp.Compare(own, other), cmp.Compare(a.doc, b.doc)), cmp.Or(wrong, err)
	}
	return cmp.Or(c, cmp.Compare(a.doc, b.doc)), nil
}

// id returns the id of m, which it reads once.
func (s *set) id(m *member) (id string, err error) {
	id, ok := s.ids[m.doc]
	if !ok {
		id, err = s.parts[m.part()].reader.ExternalID(m.match.id(s.buf[:]))
		s.ids[m.doc] = id
	}
	return id, err
}

// detail walks the families of the matches in wanted that were only counted, or all families if wanted is nil.
func (s *set) detail(wanted map[uint64]*groups.Group) error {
	for family := range familiesOf(s.in) {
		found := wanted == nil || slices.ContainsFunc(family, func(m member) bool {
			if s.hidden[m.at] {
				return false
			}
			_, ok := wanted[m.doc]
			return ok
		})
		if !found || family[0].stored != 0 {
			continue
		}
		if err := s.walkFamily(family); err != nil {
			return err
		}
	}
	return nil
}

// walkFamily has the walk take the members of a family, in head order, and marks those that are hidden.
func (s *set) walkFamily(family []member) (err error) {
	type hit struct {
		*search.DocumentMatch
		*member
	}
	all, room := make([]hit, len(family)), make([]search.DocumentMatch, len(family))
	for n := range family {
		m := &family[n]
		if m.stored == 0 {
			if _, err := s.read(m); err != nil {
				return err
			}
		}
		if n%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		room[n] = search.DocumentMatch{Index: s.parts[m.part()].index, IndexInternalID: m.match.id(nil), Score: m.score, HitNumber: m.doc}
		all[n] = hit{&room[n], m}
		if !s.byScore {
			room[n].Sort = s.keys[m.at]
		}
		if one := s.hit(m); one.Damaged() { // one that is damaged is reported
			err = cmp.Or(err, s.readID(&room[n]))
		}
	}
	slices.SortFunc(all, func(a, b hit) int {
		if !hits.Tie(s.options.Head, a.DocumentMatch, b.DocumentMatch) {
			return s.options.Head.Compare(s.scoring, s.desc, a.DocumentMatch, b.DocumentMatch)
		}
		err = cmp.Or(err, s.readID(a.DocumentMatch), s.readID(b.DocumentMatch))
		return cmp.Or(hits.ByID(a.DocumentMatch, b.DocumentMatch), cmp.Compare(a.doc, b.doc))
	})
	if err != nil {
		return err
	}
	s.walk.Begin(len(family))
	var one stored.Hit // which the walk copies
	for _, h := range all {
		one = s.hit(h.member)
		one.DocumentMatch, one.Scope, one.Key = h.DocumentMatch, h.scope, h.key
		shown := s.walk.Shown()
		s.walk.Take(&one, true)
		s.hidden[h.at] = s.walk.Shown() == shown
	}
	return s.ctx.Err()
}

// readKeys reads what members are sorted by, unless that is the score alone. It reads in the order of the documents: to
// go from one to any other, bleve would decompress a thousand values each time.
func (s *set) readKeys(in []member) (err error) {
	head := s.options.Head
	s.scoring, s.desc = head.CacheIsScore(), head.CacheDescending()
	if s.byScore = !slices.Contains(s.scoring, false); s.byScore {
		return nil
	}
	values := make([]index.DocValueReader, len(s.parts))
	for n, p := range s.parts {
		if values[n], err = p.reader.DocValueReader(head.RequiredFields()); err != nil {
			return err
		}
	}
	var hit search.DocumentMatch
	s.keys = make([][]string, len(s.matches))
	for n := range in {
		s.keys[in[n].at] = []string{}
	}
	for n, m := range s.matches {
		if err != nil || n%checkEvery == 0 && s.ctx.Err() != nil {
			return cmp.Or(err, s.ctx.Err())
		}
		if s.keys[n] == nil {
			continue
		}
		hit = search.DocumentMatch{IndexInternalID: m.id(s.buf[:]), Score: m.score, HitNumber: m.doc}
		if head.RequiresDocID() {
			err = s.readID(&hit)
		}
		err = cmp.Or(err, values[m.part()].VisitDocValues(hit.IndexInternalID, head.UpdateVisitor))
		head.Value(&hit)
		s.keys[n] = hit.Sort
	}
	return err
}
