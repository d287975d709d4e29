package rabin

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// full returns p with its leading term, as bits.
func (p Polynomial) full() *big.Int {
	n := new(big.Int).SetUint64(p.Low)
	return n.SetBit(n, p.Degree, 1)
}

// remainder divides naively, bit by bit.
func remainder(a, b *big.Int) *big.Int {
	a = new(big.Int).Set(a)
	for a.BitLen() >= b.BitLen() {
		a.Xor(a, new(big.Int).Lsh(b, uint(a.BitLen()-b.BitLen())))
	}
	return a
}

// irreducible tries all divisors up to half the degree.
func irreducible(p Polynomial) bool {
	for d := int64(2); d < 1<<(p.Degree/2+1); d++ {
		if remainder(p.full(), big.NewInt(d)).Sign() == 0 {
			return false
		}
	}
	return true
}

// The number of irreducible polynomials of degree n over GF(2) is
// 1/n Σ_{d|n} μ(n/d) 2^d (Gauss): OEIS A001037.
func TestIrreducibleCounts(t *testing.T) {
	t.Parallel()
	for i, want := range []int{2, 1, 2, 3, 6, 9, 18, 30, 56, 99, 186, 335, 630, 1161, 2182, 4080} {
		degree, got := i+1, 0
		for low := range uint64(1) << degree {
			p := Polynomial{degree, low}
			is := p.Irreducible()
			if is {
				got++
			}
			if degree <= 8 && is != irreducible(p) {
				t.Errorf("degree %d, %#x: got %v", degree, low, is)
			}
		}
		if got != want {
			t.Errorf("degree %d: got %d irreducible polynomials, want %d", degree, got, want)
		}
	}
}

// Known trinomials and pentanomials, from AES and from Seroussi, "Table of low-weight
// binary irreducible polynomials", HPL-98-135, and some that have factors.
func TestIrreducibleKnown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		degree int
		terms  []int
		want   bool
	}{
		{8, []int{4, 3, 1, 0}, true}, // AES
		{32, []int{7, 3, 2, 0}, true},
		{40, []int{5, 4, 3, 0}, true},
		{63, []int{1, 0}, true},
		{64, []int{4, 3, 1, 0}, true},
		{64, []int{1, 0}, false},
		{64, []int{0}, false}, // (x+1)^64
		{64, nil, false},
		{2, []int{0}, false},
	} {
		p := Polynomial{Degree: tt.degree}
		for _, term := range tt.terms {
			p.Low |= 1 << term
		}
		if got := p.Irreducible(); got != tt.want {
			t.Errorf("x^%d + %#x: got %v, want %v", p.Degree, p.Low, got, tt.want)
		}
	}
}

// Products are not irreducible, whatever the degrees of their factors.
func TestProducts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(21, 22))
	for range 2000 {
		degree := 2 + rnd.IntN(63)
		m := 1 + rnd.IntN(degree/2)
		a, b := Random(m, rnd.Uint64()).full(), Random(degree-m, rnd.Uint64()).full()
		product := new(big.Int)
		for i := range m + 1 {
			if a.Bit(i) == 1 {
				product.Xor(product, new(big.Int).Lsh(b, uint(i)))
			}
		}
		p := Polynomial{degree, product.SetBit(product, degree, 0).Uint64()}
		if p.Irreducible() {
			t.Fatalf("x^%d + %#x has a factor of degree %d", degree, p.Low, m)
		}
	}
}

func TestRandom(t *testing.T) {
	t.Parallel()
	for degree := 1; degree <= 64; degree++ {
		distinct := map[uint64]bool{}
		for seed := range uint64(20) {
			p := Random(degree, seed)
			if p.Degree != degree || p.Low&^p.mask() != 0 || !p.Irreducible() {
				t.Errorf("degree %d, seed %d: got %+v", degree, seed, p)
			}
			if p != Random(degree, seed) {
				t.Errorf("degree %d, seed %d: not the same again", degree, seed)
			}
			distinct[p.Low] = true
		}
		if degree >= 24 && len(distinct) < 20 {
			t.Errorf("degree %d: 20 seeds give %d polynomials", degree, len(distinct))
		}
	}
}

// Polynomials are part of the format: these must never change.
func TestRandomGolden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		degree    int
		seed, low uint64
	}{
		{64, 0, 0xe255b237b8bb18fb},
		{64, 1, 0xfd845ef300ce2d0b},
		{40, 0, 0x96918175cf},
		{40, 1, 0x4e2ef3fc17},
	} {
		if got := Random(tt.degree, tt.seed).Low; got != tt.low {
			t.Errorf("degree %d, seed %d: got %#x, want %#x", tt.degree, tt.seed, got, tt.low)
		}
	}
}
