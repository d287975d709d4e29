// Package rabin makes Rabin fingerprints of byte strings and of the shingles of a text
// (Rabin, "Fingerprinting by random polynomials", 1981; Broder, "Some applications of
// Rabin's fingerprinting method", 1993). A [Function] belongs to one [Polynomial]; it has
// [Windows] for shingles.
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
// The naive way divides bit by bit: 22 ns per byte. Here a word of 64 bits is taken at a
// time. The bits that it shifts out beyond degree k are reduced by eight look-ups, one per
// byte, in tables of 256 remainders: 0.8 ns per byte. Sliding a window by a token, which is
// such a word, takes eight more look-ups for the token that leaves. That is 7 ns per token,
// whatever the width (go test -bench . in this folder).
package rabin

import (
	"encoding/binary"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

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

// Function is the fingerprint function of one polynomial. It is safe for concurrent use.
type Function struct {
	p    Polynomial
	over *table // for x^k: the bits beyond the degree
	mask uint64 // the k bits of a fingerprint
}

// New returns the fingerprint function of p, whose degree must be 8 to 64 and which should
// be irreducible.
//
// It panics if the degree is another.
func New(p Polynomial) *Function {
	return &Function{p: p, over: newTable(p, p.Degree), mask: p.mask()}
}

// Sum returns the fingerprint of b: a number below 2^k.
func (f *Function) Sum(b []byte) uint64 { return f.Extend(0, b) }

// Extend returns the fingerprint of AB, where sum is the fingerprint of A.
func (f *Function) Extend(sum uint64, b []byte) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		sum = f.word(sum, binary.BigEndian.Uint64(b))
	}
	for _, c := range b {
		// sum·x^8 + c has 8 bits beyond the degree.
		sum = (sum<<8|uint64(c))&f.mask ^ f.over[0][byte(sum>>(f.p.Degree-8))]
	}
	return sum
}

// word returns the remainder of sum(x)·x^64 + h(x), which has 64 bits beyond the
// degree.
func (f *Function) word(sum, h uint64) uint64 {
	return h&f.mask ^ f.over.at(sum<<(64-f.p.Degree)|h>>f.p.Degree)
}

// Windows makes the fingerprints of shingles of one width.
type Windows struct {
	*Function
	width int
	out   *table // for x^(64·width): the token that leaves
}

// Windows returns f for windows of width tokens, 1 or more.
func (f *Function) Windows(width int) Windows {
	return Windows{f, width, newTable(f.p, 64*width)}
}

// Width is the number of tokens in a shingle.
func (w *Windows) Width() int { return w.width }

// Append appends to dst the fingerprint of every window of w.Width() consecutive token
// hashes: len(tokens)-w.Width()+1 fingerprints, or none. The string of a window is the
// bytes of its hashes, each with its highest byte first.
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
