package whole

import (
	"cmp"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
)

// A page shows a few groups of thousands. So families are first only counted: which matches
// stay, and how many do not. The rest, the members of a group and how alike they are, is found
// for the families of the hits on the page alone, by a walk.

// count is what is known of families without a walk.
type count struct {
	groups, visible, hidden int
	lonely                  int // matches of no family, each a group
}

// counts reports whether the order of heads is simple enough to count by, which is the score, and
// signatures decide.
func (s *set) counts() bool {
	return s.byScore && len(s.desc) == 1 && s.desc[0] && !s.options.Verify.On()
}

// few is how large a family may be for each member to be compared with all heads.
const few = 16

// order is the order of heads where counts reports true: by score, and then by id.
func order(a, b member) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.rank, b.rank))
}

// clique counts a family that is a clique: the first hides all others.
func (c *count) clique(family []member, hidden []bool) {
	for _, m := range family {
		hidden[m.at] = true
	}
	hidden[slices.MinFunc(family, order).at] = false
	c.groups++
	c.visible++
	c.hidden += len(family) - 1
}

// count marks the members of a family that are hidden: those that a groups.Walk would hide, but
// without making its groups.
func (s *set) count(family []member, hidden []bool, c *count) error {
	slices.SortFunc(family, order)
	if s.heads == nil {
		s.heads = table.New(s.walk.Rule)
	}
	s.heads.Reset()
	if len(family) > few {
		s.heads.Reserve(len(family))
	}
	s.own, s.shown = slices.Grow(s.own[:0], len(family)), s.shown[:0]
	for _, m := range family {
		sig, err := s.parts[m.part()].signatures.At(m.number())
		if err != nil {
			return err
		}
		s.own = append(s.own, sig)
		own := &s.own[len(s.own)-1]
		switch at := s.heads.First(own); {
		case at < 0:
			s.heads.Add(own)
			s.shown = append(s.shown, 1)
			c.groups++
			c.visible++
		case s.shown[at] < s.walk.Visible:
			s.shown[at]++
			c.visible++
		default:
			hidden[m.at] = true
			c.hidden++
		}
	}
	return nil
}

// detail walks the families of these matches that were only counted, or all families if wanted is nil.
func (s *set) detail(wanted map[uint64]bool) error {
	for family := range familiesOf(s.in) {
		found := wanted == nil || slices.ContainsFunc(family, func(m member) bool { return wanted[m.doc] })
		if !found || family[0].family == column.Unreadable || family[0].stored != 0 {
			continue
		}
		for n := range family {
			if _, err := s.read(&family[n]); err != nil {
				return err
			}
		}
		if err := s.walkFamily(family, true); err != nil {
			return err
		}
	}
	return nil
}
