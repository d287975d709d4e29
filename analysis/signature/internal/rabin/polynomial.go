package rabin

import (
	"math/bits"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Polynomial is a polynomial over GF(2): x^Degree, plus x^i for each bit i of Low. Low has
// no bit at Degree or above.
type Polynomial struct {
	Degree int // 1 to 64
	Low    uint64
}

// Random returns an irreducible polynomial of degree 1 to 64 that a seed selects: the first
// irreducible one in a sequence of pseudo-random polynomials with a constant term, of which
// about one in Degree/2 is irreducible.
//
// It panics if the degree is another.
func Random(degree int, seed uint64) Polynomial {
	p := Polynomial{Degree: degree}
	for i := uint64(0); ; i++ {
		p.Low = token.Mix(seed, firstMix+i)&p.mask() | 1
		if p.Irreducible() {
			return p
		}
	}
}

// firstMix is the first of the constants of a seed that only this package uses.
const firstMix = 16

// Irreducible reports whether p has no factors except itself and 1.
//
// x^(2^i) - x is the product of all irreducible polynomials whose degree divides i. So p is
// irreducible if it has no common factor with that product for any i up to half p's degree
// (Ben-Or, "Probabilistic algorithms in finite fields", FOCS 1981).
func (p Polynomial) Irreducible() bool {
	power := p.power(1)
	for range p.Degree / 2 {
		power = p.times(power, power)
		if !p.coprime(power ^ p.power(1)) {
			return false
		}
	}
	return true
}

func (p Polynomial) mask() uint64 { return ^uint64(0) >> (64 - p.Degree) }

// timesX returns a·x mod p.
func (p Polynomial) timesX(a uint64) uint64 {
	over := a >> (p.Degree - 1)
	return a<<1&p.mask() ^ p.Low&-over
}

// times returns a·b mod p.
func (p Polynomial) times(a, b uint64) (product uint64) {
	for i := p.Degree - 1; i >= 0; i-- {
		product = p.timesX(product) ^ a&-(b>>i&1)
	}
	return product
}

// power returns x^e mod p.
func (p Polynomial) power(e int) uint64 {
	a := uint64(1)
	for range e {
		a = p.timesX(a)
	}
	return a
}

// coprime reports whether p and a, which has a lower degree, have no common factor.
func (p Polynomial) coprime(a uint64) bool {
	if a == 0 {
		return false
	}
	// p itself can have 65 bits, so x^Degree mod a is computed from x^(Degree-1).
	b := mod(mod(1<<(p.Degree-1), a)<<1, a) ^ mod(p.Low, a)
	for b != 0 {
		a, b = b, mod(a, b)
	}
	return a == 1
}

// mod returns a mod b; b must not be 0.
func mod(a, b uint64) uint64 {
	for bits.Len64(a) >= bits.Len64(b) {
		a ^= b << (bits.Len64(a) - bits.Len64(b))
	}
	return a
}
