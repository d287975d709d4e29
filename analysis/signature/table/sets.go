package table

import (
	"context"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Sets are disjoint sets of signatures, joined when two meet a rule. This is the part of
// Connect for code that finds signatures with a common key itself. Members are known by
// their numbers.
type Sets struct {
	c       connection
	entries []uint64
}

// NewSets returns the sets described by parent, which is kept and changed: for each number
// it has another number of the same set, or the number itself. Initially each number is its
// own parent.
func NewSets(rule signature.Rule, parent []uint32) *Sets {
	return &Sets{c: connection{rule: rule, parent: parent, ofBand: true}}
}

// Of returns the least number of the set of i, which identifies the set.
func (s *Sets) Of(i uint32) uint32 { return s.c.find(i) }

// Join joins the sets of a and b.
func (s *Sets) Join(a, b uint32) { s.c.join(a, b) }

// JoinBand joins pairs that meet the rule among members that share a band of lanes; at
// returns the signature of a member. It can leave out pairs that meet the rule by
// something other than their lanes. Members of the same set are not compared; the rest is
// done as Connect says, and large families take as little time. It fails only if ctx ends.
func (s *Sets) JoinBand(ctx context.Context, members []uint32, at func(i int) (signature.Signature, bool)) error {
	s.c.ctx, s.c.at, s.c.err = ctx, at, nil
	s.entries = s.entries[:0]
	for _, i := range members {
		s.entries = append(s.entries, uint64(i))
	}
	s.c.connect(s.entries)
	return s.c.err
}
