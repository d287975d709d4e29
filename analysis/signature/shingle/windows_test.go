package shingle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// direct evaluates the polynomial of the package comment anew for every window.
func direct(tokens []uint64, width int, seed uint64) (prints []uint64) {
	for i := 0; i+width <= len(tokens); i++ {
		sum := uint64(0)
		for j, h := range tokens[i : i+width] {
			term := h
			for range width - 1 - j {
				term *= multiplier
			}
			sum += term
		}
		prints = append(prints, token.Fold(sum^token.Mix(seed, 3), token.Mix(seed, 4)))
	}
	return prints
}

func TestWindows(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for width := 1; width <= MaxWidth; width++ {
		for length := range 41 {
			tokens := make([]uint64, length)
			for i := range tokens {
				tokens[i] = rnd.Uint64()
			}
			seed := rnd.Uint64N(3)
			w := NewWindows(width, seed)
			kept := []uint64{1, 2}
			got := w.Append(kept, tokens)
			if !slices.Equal(got[:2], kept) || !slices.Equal(got[2:], direct(tokens, width, seed)) {
				t.Fatalf("width %d, seed %d, %d tokens: got %x, want %x", width, seed, length, got[2:], direct(tokens, width, seed))
			}
			if w.Width() != width {
				t.Fatalf("Width() = %d, want %d", w.Width(), width)
			}
		}
	}
}

// Fingerprints are part of the format: these must never change.
func TestWindowsGolden(t *testing.T) {
	t.Parallel()
	tokens := []uint64{1, 2, 3, 4, 1 << 63}
	for _, tt := range []struct {
		width int
		seed  uint64
		want  []uint64
	}{
		{4, 0, []uint64{0x967e281d9e8d6991, 0x9665176181bc8213}},
		{4, 42, []uint64{0xf6828159a301dc83, 0xf1d746b70cea5cc8}},
		{1, 0, []uint64{0x9be93247dc829a9e, 0xa27cca904e710489, 0xaaf08338c0258564, 0xb544444173980757, 0x14d35a946da45fb9}},
	} {
		w := NewWindows(tt.width, tt.seed)
		if got := w.Append(nil, tokens); !slices.Equal(got, tt.want) {
			t.Errorf("width %d, seed %d: got %#x, want %#x", tt.width, tt.seed, got, tt.want)
		}
	}
}
