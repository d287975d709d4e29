//go:build !purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens, and returns those that were not
// in s before, as Add does. With keep it also returns all of them, in order, in scratch. scratch must have room
// for them; without keep its contents are undefined afterwards.
//
// It does both in one loop: making a fingerprint has to wait for the one before, and adding
// that one fills the gap. The compiler's code for this loop keeps too little in registers.
func (s *Set) AddWindows(w *Windows, tokens, scratch []uint64, keep bool) (added, all []uint64) {
	if len(tokens) < w.width {
		return nil, nil
	}
	var sum uint64
	for _, h := range tokens[:w.width-1] {
		sum = sum*multiplier + h
	}
	before, n := len(s.members), len(tokens)-w.width+1
	s.grow(before + n)
	a := adding{
		last: &tokens[w.width-1], first: &tokens[0], n: n,
		sum: sum, top: w.top, k0: w.k0, k1: w.k1,
		members: &s.members[:before+1][0], have: before,
		table: &s.table[0], mask: uint64(len(s.table) - 1), salt: slotSalt, base: uint64(s.base),
	}
	if keep {
		all = scratch[:n]
		a.all = &all[0]
		s.members = s.members[:runAll(&a)]
	} else {
		s.members = s.members[:run(&a)]
	}
	return s.members[before:], all
}

// adding holds the arguments of run: n tokens, one or more, that enter the window and the
// tokens that then leave it, the sum of the tokens before them, and a set with room for n
// members more.
type adding struct {
	last, first      *uint64
	n                int
	sum, top, k0, k1 uint64
	members          *uint64
	have             int
	table            *uint32
	mask, salt, base uint64
	all              *uint64 // for runAll: room for n fingerprints
}

// run adds to the set and returns its new number of members.
//
//go:noescape
func run(a *adding) int

// runAll is run, and also writes all fingerprints to a.all: to write them always would cost signing 1 to 2 %.
//
//go:noescape
func runAll(a *adding) int
