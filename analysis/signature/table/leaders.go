package table

import (
	"context"
	"errors"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Leaders returns for each signature the position of its leader by rule, which must be
// valid: the first leader before it with which it meets the rule, or its own position,
// which makes it a leader. Call it for one component that Connect found. It fails only if
// ctx ends.
//
// Leaders are kept in a Table. But in a large family of copies that are not very near each
// other, most copies are leaders, and a lookup meets many of them under its keys, each
// several times. So the leaders are first checked in order, by the lanes in which each
// differs from the family's outline and by the simhash. If this leaves too many leaders,
// the Table decides.
//
// If more than signatures decides, such as the texts, confirm says of a pair that meets the rule,
// by their positions, whether leader leads i. Otherwise confirm is nil.
func Leaders(ctx context.Context, rule signature.Rule, all []signature.Signature, confirm func(leader, i int) bool) ([]int, error) {
	if ctx == nil {
		return nil, errors.New("table: wanted a context, got nil")
	}
	l := leading{rule: rule, table: New(rule), most: sketch.MaxLanes, confirmed: confirm}
	if confirm == nil {
		l.confirmed = func(int, int) bool { return true }
	}
	for i := range all {
		l.outline.add(&all[i])
	}
	if l.outline.lanes > 0 {
		l.most = l.outline.lanes - rule.Need(l.outline.lanes, 0)
	}
	of := make([]int, len(all))
	equal := make(map[uint64]int) // the first signature with that exact hash
	for i := range all {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := &all[i]
		first, known := equal[s.Exact]
		if known && confirm == nil && rule.Long(s) && Equal(s, &all[first]) {
			of[i] = of[first]
			continue
		}
		if !known {
			equal[s.Exact] = i
		}
		if of[i] = l.first(s, i); of[i] < 0 {
			of[i] = i
			l.table.Add(s)
			l.leaders = append(l.leaders, leader{l.outline.differ(s), s.Simhash, s.Exact, i})
		}
	}
	return of, nil
}

// ByLeader returns the groups that Leaders has found, in the order of their leaders: the positions of each, the leader first.
func ByLeader(of []int) (groups [][]int) {
	at := make([]int, len(of)) // of a leader in groups
	for i, leader := range of {
		if leader == i {
			at[i] = len(groups)
			groups = append(groups, nil)
		}
		own := &groups[at[leader]]
		*own = append(*own, i)
	}
	return groups
}

// leading is Leaders at work.
type leading struct {
	rule      signature.Rule
	most      int // lanes that may differ
	outline   outline
	table     *Table // of the leaders
	leaders   []leader
	confirmed func(leader, i int) bool
}

// leader is the part of a leader that rejects most signatures quickly.
type leader struct {
	differ         lanes
	simhash, exact uint64
	position       int // in the list of all signatures
}

// maxTried is the number of leaders compared with one signature before its keys are looked
// up.
const maxTried = 32

// first returns the position of the first leader with which s, of the position own, meets the rule, or -1.
func (l *leading) first(s *signature.Signature, own int) int {
	differ := l.outline.differ(s)
	tried := 0
	for i := range l.leaders {
		leader := &l.leaders[i]
		if differ.apart(leader.differ) > l.most && simhash.Distance(s.Simhash, leader.simhash) > l.rule.Bits() && s.Exact != leader.exact {
			continue
		}
		if l.rule.Duplicates(l.table.all[i], s) && l.confirmed(leader.position, own) {
			return leader.position
		}
		if tried++; tried < maxTried {
			continue
		}
		for i := range l.table.Each(s) {
			if position := l.leaders[i].position; l.confirmed(position, own) {
				return position
			}
		}
		break
	}
	return -1
}
