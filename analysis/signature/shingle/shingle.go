// Package shingle makes the fingerprints of a document's shingles ([Windows]) and keeps the set of
// them ([Set]).
//
// A w-shingle is w consecutive tokens (Broder, "On the resemblance and containment of
// documents", 1997). From the token hashes h its fingerprint is
//
//	Fold(h[i]*P^(w-1) + h[i+1]*P^(w-2) + ... + h[i+w-1] ^ k0, k1)
//
// This is a polynomial, so a window slides at the cost of one addition, one subtraction and
// two multiplications, whatever w is. A multiply-fold at the end spreads every token over
// all 64 bits. Two different shingles share a fingerprint with probability about 2^-61 or
// less, provided the texts were not made to collide, which a secret seed prevents.
//
// The resemblance of two documents is |A∩B| / |A∪B| over their sets of fingerprints, and
// the containment of A in B is |A∩B| / |A|.
package shingle

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// MaxWidth is the greatest shingle width.
const MaxWidth = 16

// multiplier is the P of the polynomial. It is odd, so that no token is multiplied away.
const multiplier = 0x9fb21c651e98df25

// Windows makes fingerprints of one width.
type Windows struct {
	width  int
	top    uint64 // multiplier^width
	k0, k1 uint64
}

// NewWindows returns Windows of width tokens, 1 to MaxWidth, for one seed. It panics if
// width is out of range.
func NewWindows(width int, seed uint64) Windows {
	if width < 1 || width > MaxWidth {
		panic(fmt.Sprintf("shingle: width: wanted 1 to %d, got %d", MaxWidth, width))
	}
	w := Windows{width: width, top: 1, k0: token.Mix(seed, 3), k1: token.Mix(seed, 4)}
	for range width {
		w.top *= multiplier
	}
	return w
}

// Width is the number of tokens in a shingle.
func (w *Windows) Width() int { return w.width }

// Append appends to dst the fingerprint of every window of w.Width() consecutive token
// hashes: len(tokens)-w.Width()+1 fingerprints, or none.
func (w *Windows) Append(dst, tokens []uint64) []uint64 {
	if len(tokens) < w.width {
		return dst
	}
	var sum uint64
	for _, h := range tokens[:w.width] {
		sum = sum*multiplier + h
	}
	n := len(tokens) - w.width + 1
	old := len(dst)
	dst = slices.Grow(dst, n)[:old+n]
	out := dst[old:]
	out[0] = token.Fold(sum^w.k0, w.k1)
	out = out[1:]
	first, last := tokens[:len(out)], tokens[w.width:][:len(out)]
	for i := range out {
		sum = sum*multiplier + (last[i] - first[i]*w.top) // the brackets shorten the chain of additions
		out[i] = token.Fold(sum^w.k0, w.k1)
	}
	return dst
}

// Set is a set of fingerprints. The zero Set is empty. It is not safe for concurrent use.
//
// Members are in a slice in the order in which they came; an open-addressing table of
// 32-bit positions finds them. A member takes 8 bytes, and 16 to 32 more in a table of less
// than keepSlots, which is at most a quarter full: each taken slot on the way is a
// mispredicted branch (3 KB documents: 5.6 ns a shingle with a table two thirds full, 2.2
// with this one). Larger tables are at most two thirds full, 6 to 12 bytes a member.
type Set struct {
	members []uint64

	// A slot holds base, plus a position in members, plus 1. A slot of at most base is
	// free. Reset frees all slots by setting base to the greatest number in use, instead of
	// clearing 32 KB for every document.
	table []uint32
	base  uint32
}

// minTable is the least size of a table: 32 KB. With it a search meets half as many taken
// slots as with 16 KB; 64 KB was not measurably better for documents of 3 KB.
const minTable = 1 << 13

// keepSlots is the largest table that Reset keeps, so that a pool of Sets does not hold the
// memory of the largest document it ever saw.
const keepSlots = 1 << 16

// maxBase leaves room above a base for the members of a document.
const maxBase = 1 << 31

// slotSalt makes the slot of a fingerprint differ from process to process. Otherwise, with
// a public seed, somebody could write a text whose shingles all need one slot. The members
// and their order do not depend on it.
var slotSalt = rand.Uint64() | 1

// slot returns where the search for f begins in a table of mask+1 slots. The shift is the
// same for all sizes because shifts by a variable are slow on amd64.
func slot(f, salt, mask uint64) uint64 { return f * salt >> 32 & mask }

// Reset empties s.
func (s *Set) Reset() {
	// A table much larger than its members is dropped too. Otherwise the members of short
	// documents after a long one would be spread over many cache lines.
	if len(s.table) > keepSlots || len(s.table) > minTable && len(s.table) > 32*len(s.members) {
		*s = Set{}
		return
	}
	s.base += uint32(len(s.members))
	s.members = s.members[:0]
	if s.base > maxBase {
		clear(s.table)
		s.base = 0
	}
}

// Add adds fingerprints and returns those that were not in s before, in order. The result
// is valid until the next call.
func (s *Set) Add(fingerprints []uint64) (added []uint64) {
	before := len(s.members)
	s.grow(before + len(fingerprints))
	members, table, base, salt := s.members[:before+len(fingerprints)], s.table, s.base, slotSalt
	mask := uint64(len(table) - 1)
	n := before
next:
	for _, f := range fingerprints {
		i := slot(f, salt, mask)
		for {
			p := table[i]
			if p <= base {
				break
			}
			if members[p-base-1] == f {
				continue next
			}
			i = (i + 1) & mask
		}
		members[n] = f
		n++
		table[i] = base + uint32(n)
	}
	s.members = members[:n]
	return s.members[before:]
}

// Places appends to dst the place of each fingerprint in Members, after it has added those that were not in s before.
func (s *Set) Places(dst []uint32, fingerprints []uint64) []uint32 {
	dst = slices.Grow(dst, len(fingerprints))
	s.grow(len(s.members) + len(fingerprints))
	table, base, salt, mask := s.table, s.base, slotSalt, uint64(len(s.table)-1)
	for _, f := range fingerprints {
		i := slot(f, salt, mask)
		for table[i] > base && s.members[table[i]-base-1] != f {
			i = (i + 1) & mask
		}
		if table[i] <= base {
			s.members = append(s.members, f)
			table[i] = base + uint32(len(s.members))
		}
		dst = append(dst, table[i]-base-1)
	}
	return dst
}

// crowded reports whether a table is too small for that many members.
func crowded(members, slots int) bool {
	return 3*members > 2*slots || slots < keepSlots && 4*members > slots
}

// grow makes room for need members.
func (s *Set) grow(need int) {
	s.members = slices.Grow(s.members, need-len(s.members))
	if !crowded(need, len(s.table)) {
		return
	}
	size := max(minTable, len(s.table))
	for crowded(need, size) {
		size *= 2
	}
	s.table, s.base = make([]uint32, size), 0
	mask := uint64(size - 1)
	for n, f := range s.members {
		i := slot(f, slotSalt, mask)
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = uint32(n + 1)
	}
}

// Len is the number of distinct fingerprints.
func (s *Set) Len() int { return len(s.members) }

// Members returns the distinct fingerprints in the order in which they came. The slice
// belongs to s and is valid until the next call of Add or Reset.
func (s *Set) Members() []uint64 { return s.members }
