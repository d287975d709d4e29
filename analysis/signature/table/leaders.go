package table

import (
	"context"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Leaders returns for each signature the position of its leader by rule, which must be
// valid: the first leader before it that it meets the rule with, or itself, which makes
// it a leader. It is meant for a component of those that Connect finds. It fails with
// ctx alone.
//
// Leaders stand in a Table. But in a large family of copies that are not very near each
// other, most are leaders, and a lookup meets a large part of them under its keys, each
// several times. So the leaders are passed through first, in order, by what can be told
// from the lanes in which each differs from the family's outline and from the simhash.
// Where that leaves too many the Table decides.
func Leaders(ctx context.Context, rule signature.Rule, all []signature.Signature) ([]int, error) {
	l := leading{rule: rule, table: New(rule)}
	for i := range all {
		l.outline.add(&all[i])
	}
	l.most = sketch.MaxLanes
	if l.outline.lanes > 0 {
		l.most = l.outline.lanes - rule.Need(l.outline.lanes)
	}
	of := make([]int, len(all))
	equal := make(map[uint64]int) // the first of an exact hash
	for i := range all {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := &all[i]
		first, known := equal[s.Exact]
		if known && s.Tokens > 0 && Equal(s, &all[first]) {
			of[i] = of[first]
			continue
		}
		if !known {
			equal[s.Exact] = i
		}
		if of[i] = l.first(s); of[i] < 0 {
			of[i] = i
			l.add(s, i)
		}
	}
	return of, nil
}

// leading is Leaders at work.
type leading struct {
	rule    signature.Rule
	most    int // lanes that may differ
	outline outline
	table   *Table
	leaders []leader
}

// leader is what is known of a leader at a glance.
type leader struct {
	differ         lanes
	simhash, exact uint64
	position       int // in all
}

func (l *leading) add(s *signature.Signature, position int) {
	l.table.Add(s)
	l.leaders = append(l.leaders, leader{l.outline.differ(s), s.Simhash, s.Exact, position})
}

// maxTried is how many leaders are compared with one signature before its keys are
// looked up.
const maxTried = 32

// first returns the position of the first leader that s meets the rule with, or -1.
func (l *leading) first(s *signature.Signature) int {
	differ := l.outline.differ(s)
	tried := 0
	for i := range l.leaders {
		leader := &l.leaders[i]
		if differ.apart(leader.differ) > l.most && simhash.Distance(s.Simhash, leader.simhash) > l.rule.Hamming && s.Exact != leader.exact {
			continue
		}
		if l.rule.Duplicates(l.table.all[i], s) {
			return leader.position
		}
		if tried++; tried == maxTried {
			if i = l.table.First(s); i >= 0 {
				return l.leaders[i].position
			}
			return -1
		}
	}
	return -1
}
