//go:build !purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens. It returns those that were not in s before, as
// Add does, and all of them, in order. The latter are in dst, which must have room for them.
//
// It does both in one loop: making a fingerprint has to wait for the one before, and adding
// that one fills the gap. The compiler's code for this loop keeps too little in registers.
func (s *Set) AddWindows(w *Windows, tokens, dst []uint64) (added, all []uint64) {
	if len(tokens) < w.width {
		return nil, dst[:0]
	}
	var sum uint64
	for _, h := range tokens[:w.width-1] {
		sum = sum*base + h
	}
	before, n := len(s.members), len(tokens)-w.width+1
	s.grow(before + n)
	all = dst[:n]
	have := run(&adding{
		last: &tokens[w.width-1], first: &tokens[0], all: &all[0], n: n,
		sum: sum, top: w.top, k0: w.k0, k1: w.k1,
		members: &s.members[:before+1][0], have: before,
		table: &s.table[0], mask: uint64(len(s.table) - 1), salt: slotSalt, base: uint64(s.base),
	})
	s.members = s.members[:have]
	return s.members[before:], all
}

// adding holds the arguments of run: n tokens that enter the window and the tokens that
// then leave it, room for all fingerprints, the window before them, and a set with room.
type adding struct {
	last, first, all *uint64
	n                int
	sum, top, k0, k1 uint64
	members          *uint64
	have             int
	table            *uint32
	mask, salt, base uint64
}

// run adds to the set and returns its new number of members.
//
//go:noescape
func run(a *adding) int
