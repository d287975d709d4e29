package table

import (
	"context"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Sets are disjoint sets of signatures, joined where two meet a rule: the part of Connect
// for those who bring together what shares a key themselves. Members are known by their
// numbers.
type Sets struct{ c connection }

// NewSets returns sets as parent has them, which is kept and changed: that of each number
// is another of the same set, or itself. At the beginning each is its own.
func NewSets(rule signature.Rule, parent []uint32) *Sets {
	return &Sets{connection{scheme: newScheme(rule), parent: parent, kind: ofBand}}
}

// Of returns the least number of a set, by which it is known.
func (s *Sets) Of(i uint32) uint32 { return s.c.find(i) }

// Join makes one set of two.
func (s *Sets) Join(a, b uint32) { s.c.join(a, b) }

// JoinBand joins what meets the rule among members that share a band of lanes, each of
// which at returns. Pairs that meet it by other than their lanes may be left out. Members
// of the same set are not compared; the rest is done as Connect says, with its promise for
// large families. It fails with ctx alone.
func (s *Sets) JoinBand(ctx context.Context, members []uint32, at func(i int) (signature.Signature, bool)) error {
	s.c.ctx, s.c.at, s.c.err = ctx, at, nil
	s.c.entries = s.c.entries[:0]
	for _, i := range members {
		s.c.entries = append(s.c.entries, uint64(i))
	}
	s.c.connect(s.c.entries)
	return s.c.err
}
