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

func randomTokens(rnd *rand.Rand, n int) []uint64 {
	tokens := make([]uint64, n)
	for i := range tokens {
		tokens[i] = rnd.Uint64()
	}
	return tokens
}

// The CRC-8 of ATM's header (ITU I.432.1, x^8+x^2+x+1, without its final xor) is
// the remainder of the string followed by a zero byte; "123456789" has F4. Leading zeros change nothing.
func TestCRC(t *testing.T) {
	t.Parallel()
	text := []byte("\x00\x00\x00\x00\x00\x00123456789\x00")
	tokens := []uint64{binary.BigEndian.Uint64(text), binary.BigEndian.Uint64(text[8:])}
	if got := NewWindows(Polynomial{8, 0x07}, 2).Append(nil, tokens); !slices.Equal(got, []uint64{0xf4}) {
		t.Errorf("got %#x, want 0xf4", got)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(27, 28))
	for width := 1; width <= 16; width++ {
		for degree := 1 + width%4; degree <= 64; degree += 1 + rnd.IntN(4) {
			p := Random(degree, rnd.Uint64())
			w := NewWindows(p, width)
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
			w := NewWindows(Random(degree, 0), width)
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
		w := NewWindows(Random(tt.degree, 0), tt.width)
		if got := w.Append(nil, tokens); !slices.Equal(got, tt.want) {
			t.Errorf("degree %d, width %d: got %#x, want %#x", tt.degree, tt.width, got, tt.want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	w := NewWindows(Random(64, 0), 4)
	tokens := make([]uint64, 512)
	prints := make([]uint64, 0, 512)
	if n := testing.AllocsPerRun(10, func() { prints = w.Append(prints[:0], tokens) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func FuzzWindows(f *testing.F) {
	f.Add([]byte{}, uint64(0), uint8(64), uint8(1))
	f.Add([]byte("a rose is a rose is a rose is a rose, and so on for some time"), uint64(1), uint8(40), uint8(3))
	f.Add(make([]byte, 100), uint64(2), uint8(8), uint8(16))
	f.Fuzz(func(t *testing.T, b []byte, seed uint64, degree, width uint8) {
		b = b[:min(len(b), 400)] // the naive way is slow
		p := Random(1+int(degree)%64, seed)
		var tokens []uint64
		for ; len(b) >= 8; b = b[8:] {
			tokens = append(tokens, binary.BigEndian.Uint64(b))
		}
		n := 1 + int(width)%16
		if got, want := NewWindows(p, n).Append(nil, tokens), direct(p, tokens, n); !slices.Equal(got, want) {
			t.Errorf("%+v, width %d, %x: got %x, want %x", p, n, tokens, got, want)
		}
	})
}
