package rabin

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive divides the string by p bit by bit.
func naive(p Polynomial, b []byte) uint64 {
	return remainder(new(big.Int).SetBytes(b), p.full()).Uint64()
}

// direct makes the fingerprint of every window from its bytes.
func direct(p Polynomial, tokens []uint64, width int) (prints []uint64) {
	for i := 0; i+width <= len(tokens); i++ {
		var b []byte
		for _, h := range tokens[i : i+width] {
			b = binary.BigEndian.AppendUint64(b, h)
		}
		prints = append(prints, naive(p, b))
	}
	return prints
}

func randomBytes(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32() >> 24)
	}
	return b
}

func randomTokens(rnd *rand.Rand, n int) []uint64 {
	tokens := make([]uint64, n)
	for i := range tokens {
		tokens[i] = rnd.Uint64()
	}
	return tokens
}

func TestSum(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(23, 24))
	for degree := 8; degree <= 64; degree++ {
		p := Random(degree, rnd.Uint64())
		f := New(p)
		for n := range 60 {
			b := randomBytes(rnd, n)
			want := naive(p, b)
			if got := f.Sum(b); got != want {
				t.Fatalf("%+v, %x: got %#x, want %#x", p, b, got, want)
			}
			cut := rnd.IntN(n + 1)
			if got := f.Extend(f.Sum(b[:cut]), b[cut:]); got != want {
				t.Fatalf("%+v, %x cut at %d: got %#x, want %#x", p, b, cut, got, want)
			}
			if got := f.Sum(slices.Concat([]byte{0, 0}, b)); got != want {
				t.Fatalf("%+v, %x: leading zeros make it %#x, want %#x", p, b, got, want)
			}
		}
	}
}

// The CRC-8 of ATM's header (ITU I.432.1, x^8+x^2+x+1, without its final xor) is
// the remainder of the string followed by a zero byte; "123456789" has F4.
func TestCRC(t *testing.T) {
	t.Parallel()
	f := New(Polynomial{8, 0x07})
	if got := f.Sum([]byte("123456789\x00")); got != 0xf4 {
		t.Errorf("got %#x, want 0xf4", got)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(27, 28))
	for width := 1; width <= 16; width++ {
		for _, degree := range []int{8, 39, 40, 63, 64} {
			p := Random(degree, rnd.Uint64())
			w := New(p).Windows(width)
			if w.Width() != width {
				t.Fatalf("Width() = %d, want %d", w.Width(), width)
			}
			for _, n := range []int{0, 1, width - 1, width, width + 1, 40} {
				tokens := randomTokens(rnd, n)
				kept := []uint64{1, 2}
				got := w.Append(kept, tokens)
				if want := direct(p, tokens, width); !slices.Equal(got[:2], kept) || !slices.Equal(got[2:], want) {
					t.Fatalf("%+v, width %d, %d tokens: got %x, want %x", p, width, n, got[2:], want)
				}
			}
		}
	}
}

func TestMix(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(33, 34))
	for i := range uint64(2000) {
		for _, f := range []uint64{i, ^i, 1 << (i & 63), rnd.Uint64()} {
			if got := Unmix(Mix(f)); got != f {
				t.Fatalf("Unmix(Mix(%#x)) = %#x", f, got)
			}
			if got := Mix(Unmix(f)); got != f {
				t.Fatalf("Mix(Unmix(%#x)) = %#x", f, got)
			}
		}
	}
}

// Mixed fingerprints are uniform even if the tokens are consecutive numbers: over 100
// lanes, as a sketch throws them, and bit by bit, as a simhash counts them.
func TestMixUniform(t *testing.T) {
	t.Parallel()
	const n, lanes = 1 << 17, 100
	for _, degree := range []int{40, 64} {
		for _, width := range []int{1, 4} {
			tokens := make([]uint64, n+width-1)
			for i := range tokens {
				tokens[i] = uint64(i)
			}
			w := New(Random(degree, 0)).Windows(width)
			var thrown [lanes]float64
			var ones [64]float64
			for _, f := range w.Append(nil, tokens) {
				f = Mix(f)
				thrown[f>>32*lanes>>32]++
				for bit := range ones {
					ones[bit] += float64(f >> bit & 1)
				}
			}
			// 99 degrees of freedom: 160 is exceeded once in 10,000.
			chi := 0.
			for _, got := range thrown {
				chi += (got - n/lanes) * (got - n/lanes) / (n / lanes)
			}
			if chi > 160 {
				t.Errorf("degree %d, width %d: chi square of %d lanes is %.1f", degree, width, lanes, chi)
			}
			for bit, got := range ones {
				if off := (got - n/2) / math.Sqrt(n/4); off > 4.5 || off < -4.5 { // standard deviations
					t.Errorf("degree %d, width %d: bit %d is set in %v of %d", degree, width, bit, got, n)
				}
			}
		}
	}
}

// Fingerprints are part of the format: these must never change.
func TestGolden(t *testing.T) {
	t.Parallel()
	tokens := []uint64{1, 2, 3, 4, 1 << 63}
	for _, tt := range []struct {
		degree, width int
		want          []uint64
	}{
		{64, 4, []uint64{0x85700a038188682, 0xcb35a8934066425e}},
		{40, 4, []uint64{0xe3aced9ccb, 0xc971541446}},
	} {
		w := New(Random(tt.degree, 0)).Windows(tt.width)
		if got := w.Append(nil, tokens); !slices.Equal(got, tt.want) {
			t.Errorf("degree %d, width %d: got %#x, want %#x", tt.degree, tt.width, got, tt.want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	f := New(Random(64, 0))
	w := f.Windows(4)
	tokens := make([]uint64, 512)
	prints := make([]uint64, 0, 512)
	b := make([]byte, 1001)
	if n := testing.AllocsPerRun(10, func() {
		prints = w.Append(prints[:0], tokens)
		f.Sum(b)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte{}, uint64(0), uint8(64), uint8(1))
	f.Add([]byte("a rose is a rose is a rose is a rose, and so on for some time"), uint64(1), uint8(40), uint8(3))
	f.Add(make([]byte, 100), uint64(2), uint8(8), uint8(16))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64, degree, width uint8) {
		b = b[:min(len(b), 400)] // the naive way is slow
		p := Random(8+int(degree)%57, seed)
		function := New(p)
		if got, want := function.Sum(b), naive(p, b); got != want {
			t.Errorf("%+v, %x: got %#x, want %#x", p, b, got, want)
		}
		var tokens []uint64
		for ; len(b) >= 8; b = b[8:] {
			tokens = append(tokens, binary.BigEndian.Uint64(b))
		}
		w := function.Windows(1 + int(width)%16)
		if got, want := w.Append(nil, tokens), direct(p, tokens, w.Width()); !slices.Equal(got, want) {
			t.Errorf("%+v, width %d, %x: got %x, want %x", p, w.Width(), tokens, got, want)
		}
	})
}
