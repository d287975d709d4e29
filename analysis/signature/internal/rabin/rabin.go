// Package rabin makes Rabin fingerprints of the shingles of a text (Rabin, "Fingerprinting by
// random polynomials", 1981; Broder, "Some applications of Rabin's fingerprinting method", 1993):
// [Windows] of one width, by one [Polynomial].
//
// The bits of a string, first bit highest, are the coefficients of a polynomial A(x) over
// GF(2). The fingerprint is A(x) mod P(x), the bits of the remainder, where P is an
// irreducible polynomial of degree k drawn at random. Over the choice of P, two different
// strings of m bits share a fingerprint with probability at most about m/2^k. The reason:
// their difference has at most m/k factors of degree k, and there are about 2^k/k such
// polynomials. AltaVista used k = 40.
//
// Fingerprints are linear: f(A xor B) = f(A) xor f(B) for strings of one length. The
// fingerprint of AB follows from the fingerprints of A and B, so a window can slide. A
// leading zero byte changes nothing, so strings that differ only in leading zero bytes have
// the same fingerprint; but shingles of one width all have the same length.
//
// Because they are linear, fingerprints are not random numbers. Bits of related strings are
// related, and at k = 40 the upper 24 are 0. [Mix] spreads them over 64 bits, one to one,
// for uses that need numbers without structure, such as sketches and simhashes.
//
// # Tables
//
// The naive way divides bit by bit: 22 ns per byte. Here a token, a word of 64 bits, is taken at a time. The bits that
// it shifts out beyond degree k are reduced by eight look-ups, one per byte, in tables of 256 remainders, and the token
// that leaves the window takes eight more: 7 ns per token, whatever the width.
package rabin

import "github.com/neardup/bleve-neardup/analysis/signature/token"

// table holds in t[j][b] the remainder of b(x)·x^(e+8j), for one e.
type table [8][256]uint64

// at returns the remainder of y(x)·x^e.
func (t *table) at(y uint64) uint64 {
	return ((t[0][byte(y)] ^ t[1][byte(y>>8)]) ^ (t[2][byte(y>>16)] ^ t[3][byte(y>>24)])) ^
		((t[4][byte(y>>32)] ^ t[5][byte(y>>40)]) ^ (t[6][byte(y>>48)] ^ t[7][byte(y>>56)]))
}

// newTable makes the table of polynomial p for e.
func newTable(p Polynomial, e int) *table {
	var t table
	power := p.power(e)
	for j := range t {
		for b := 1; b < 256; b++ {
			if b&(b-1) == 0 {
				t[j][b], power = power, p.timesX(power)
			} else {
				t[j][b] = t[j][b&(b-1)] ^ t[j][b&-b]
			}
		}
	}
	return &t
}

// Windows makes the fingerprints of shingles of one width. It is safe for concurrent use.
type Windows struct {
	degree, width int
	over          *table // for x^k: the bits beyond the degree
	out           *table // for x^(64·width): the token that leaves
	mask          uint64 // the k bits of a fingerprint
}

// NewWindows returns the fingerprints by p, which should be irreducible, of windows of width tokens, 1 or more.
func NewWindows(p Polynomial, width int) *Windows {
	return &Windows{p.Degree, width, newTable(p, p.Degree), newTable(p, 64*width), p.mask()}
}

// word returns the remainder of sum(x)·x^64 + h(x), which has 64 bits beyond the
// degree.
func (w *Windows) word(sum, h uint64) uint64 {
	return h&w.mask ^ w.over.at(sum<<(64-w.degree)|h>>w.degree)
}

// Append appends to dst the fingerprint of every window of consecutive token hashes: len(tokens)-width+1
// fingerprints, or none. The string of a window is the bytes of its hashes, each with its highest byte first.
func (w *Windows) Append(dst, tokens []uint64) []uint64 {
	if len(tokens) < w.width {
		return dst
	}
	var sum uint64
	for _, h := range tokens[:w.width] {
		sum = w.word(sum, h)
	}
	dst = append(dst, sum)

	first := tokens[:len(tokens)-w.width]
	for i, h := range tokens[w.width:] {
		sum = w.word(sum, h) ^ w.out.at(first[i])
		dst = append(dst, sum)
	}
	return dst
}

// Mix maps fingerprints one to one to 64-bit numbers without linear structure. It is the
// output function of splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
func Mix(f uint64) uint64 { return token.Mix(f, 0) }

// Unmix is the inverse of Mix.
func Unmix(f uint64) uint64 {
	f = (f ^ f>>31 ^ f>>62) * inverse2
	f = (f ^ f>>27 ^ f>>54) * inverse1
	return f ^ f>>30 ^ f>>60
}

// The inverses of Mix's multipliers modulo 2^64.
const (
	inverse1 = 0x96de1b173f119089
	inverse2 = 0x319642b2d24d8ec3
)
