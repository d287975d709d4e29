//go:build !purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens, and returns those that
// were not in s before, as Add does. scratch has room for them; what it holds
// afterwards is not said.
//
// It does both in one loop: to make a fingerprint waits for the one before, and
// adding it fills the gap. The compiler's code for that loop keeps too little of it
// in registers. Fingerprints made eight at a time with AVX-512, and added after, took
// as long (1.1 µs for 500 windows): what counts is the way to the slots.
func (s *Set) AddWindows(w *Windows, tokens, scratch []uint64) (added []uint64) {
	if len(tokens) < w.width {
		return nil
	}
	var sum uint64
	for _, h := range tokens[:w.width-1] {
		sum = sum*base + h
	}
	before, n := len(s.members), len(tokens)-w.width+1
	s.grow(before + n)
	a := adding{
		last: &tokens[w.width-1], first: &tokens[0], n: n,
		sum: sum, top: w.top, k0: w.k0, k1: w.k1,
		members: &s.members[:before+1][0], have: before,
		table: &s.table[0], mask: uint64(len(s.table) - 1), salt: slotSalt, base: uint64(s.base),
	}
	s.members = s.members[:run(&a)]
	return s.members[before:]
}

// adding is what run works on: n tokens that enter the window and those that leave
// it after them, the window before, and a set with room.
type adding struct {
	last, first      *uint64
	n                int
	sum, top, k0, k1 uint64
	members          *uint64
	have             int
	table            *uint32
	mask, salt, base uint64
}

// run adds to the set and returns how many members it has then.
//
//go:noescape
func run(a *adding) int
