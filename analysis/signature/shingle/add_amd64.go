//go:build !purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens, and returns those that were not
// in s before, as Add does. scratch must have room for the fingerprints; its contents are
// undefined afterwards.
//
// It does both in one loop: making a fingerprint has to wait for the one before, and adding
// that one fills the gap. The compiler's code for this loop keeps too little in registers.
// Making eight fingerprints at a time with AVX-512 and adding them afterwards took as long
// (1.1 µs for 500 windows): what counts is the access to the slots.
func (s *Set) AddWindows(w *Windows, tokens, scratch []uint64) (added []uint64) {
	if len(tokens) < w.width {
		return nil
	}
	a := s.adding(w, tokens)
	s.members = s.members[:run(&a)]
	return s.members[a.have:]
}

// AddAll is AddWindows, and also returns the fingerprints of all windows, in order. They are in dst, which must have room for
// them.
func (s *Set) AddAll(w *Windows, tokens, dst []uint64) (added, all []uint64) {
	if len(tokens) < w.width {
		return nil, dst[:0]
	}
	a := s.adding(w, tokens)
	all = dst[:a.n]
	a.all = &all[0]
	s.members = s.members[:runAll(&a)]
	return s.members[a.have:], all
}

// adding makes room for the windows of tokens, and returns the arguments of run.
func (s *Set) adding(w *Windows, tokens []uint64) adding {
	var sum uint64
	for _, h := range tokens[:w.width-1] {
		sum = sum*base + h
	}
	before, n := len(s.members), len(tokens)-w.width+1
	s.grow(before + n)
	return adding{
		last: &tokens[w.width-1], first: &tokens[0], n: n,
		sum: sum, top: w.top, k0: w.k0, k1: w.k1,
		members: &s.members[:before+1][0], have: before,
		table: &s.table[0], mask: uint64(len(s.table) - 1), salt: slotSalt, base: uint64(s.base),
	}
}

// adding holds the arguments of run: n tokens that enter the window and the tokens that
// then leave it, the window before them, and a set with room.
type adding struct {
	last, first      *uint64
	n                int
	sum, top, k0, k1 uint64
	members          *uint64
	have             int
	table            *uint32
	mask, salt, base uint64
	all              *uint64 // of runAll: n places for what it adds or not
}

// run adds to the set and returns its new number of members.
//
//go:noescape
func run(a *adding) int

// runAll is run that also keeps all fingerprints.
//
//go:noescape
func runAll(a *adding) int
