package blocks

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkTwins compares the assembly with the Go code on the blocks of text, which need not be text: both find
// the same masks and folded bytes.
func checkTwins(t *testing.T, text []byte) {
	t.Helper()
	n := (len(text) - 2) / Size
	if n <= 0 {
		return
	}
	text = text[:n*Size+2]
	got, want := make([]uint64, n), make([]uint64, n)
	folded, wantFolded := make([]byte, n*Size), make([]byte, n*Size)
	have := Find(got, folded, text)
	if first := findGo(want, wantFolded, text); have != first {
		t.Fatalf("%q: %d blocks are ASCII, in Go %d", text, have, first)
	}
	if !slices.Equal(got[:have], want[:have]) {
		t.Fatalf("%q: got masks %x, in Go %x", text, got[:have], want[:have])
	}
	if a, b := folded[:have*Size], wantFolded[:have*Size]; !slices.Equal(a, b) {
		t.Fatalf("%q: folded %q, in Go %q", text, a, b)
	}
}

func TestTwins(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	const often = "aZ09_'.,:; -/\n"
	rounds, step := 20_000, 1
	if testing.Short() {
		rounds, step = 2000, 5
	}
	for range rounds {
		text := make([]byte, 2+rnd.IntN(16*Size))
		for i := range text {
			if text[i] = byte(rnd.IntN(128)); rnd.IntN(3) > 0 {
				text[i] = often[rnd.IntN(len(often))]
			}
		}
		if rnd.IntN(3) == 0 {
			text[rnd.IntN(len(text))] |= 0x80
		}
		checkTwins(t, text)
	}
	for c := range 128 { // every pair of characters, at every place
		for d := c % step; d < 128; d += step {
			checkTwins(t, []byte(strings.Repeat(string([]byte{byte(c), byte(d), 'b'}), 43)))
		}
	}
}

func FuzzTwins(f *testing.F) {
	f.Add([]byte(strings.Repeat("Don't fold 3.14_E or __x ", 9)))
	f.Fuzz(checkTwins)
}
