package token

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// naiveBlocks is findWords byte by byte, by the table of classes.
func naiveBlocks(masks []uint64, folded, text []byte) int {
	for i := range masks {
		for at := range block {
			p := 1 + i*block + at
			if text[p] >= 0x80 || text[p+1] >= 0x80 && at == block-1 {
				return i
			}
			before, c, after := class.ASCII[text[p-1]], class.ASCII[text[p]], class.ASCII[text[p+1]]
			if class.IsWord(c&class.Mask) || before == after && c.Joins(before) {
				masks[i] |= 1 << at
			}
			folded[i*block+at] = bytes.ToLower(text[p : p+1])[0]
		}
	}
	return len(masks)
}

// checkBlocks compares findWords with the naive loop on the blocks of text, which need not be text: both find the same
// masks and folded bytes.
func checkBlocks(t *testing.T, text []byte) {
	t.Helper()
	n := (len(text) - 2) / block
	if n <= 0 {
		return
	}
	text = text[:n*block+2]
	got, want := make([]uint64, n), make([]uint64, n)
	folded, wantFolded := make([]byte, n*block), make([]byte, n*block)
	have := findWords(got, folded, text)
	if first := naiveBlocks(want, wantFolded, text); have != first {
		t.Fatalf("%q: %d blocks are ASCII, want %d", text, have, first)
	}
	if !slices.Equal(got[:have], want[:have]) {
		t.Fatalf("%q: got masks %x, want %x", text, got[:have], want[:have])
	}
	if a, b := folded[:have*block], wantFolded[:have*block]; !slices.Equal(a, b) {
		t.Fatalf("%q: folded %q, want %q", text, a, b)
	}
}

// Every pair of ASCII characters, at every place.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for c := range 128 {
		for d := range 128 {
			checkBlocks(t, []byte(strings.Repeat(string([]byte{byte(c), byte(d), 'b'}), 43)))
		}
	}
}
