package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/blocks"
)

// checkTwins compares the assembly with the Go code on the blocks of text, which need not
// be text: both find the same hashes.
func checkTwins(t *testing.T, text []byte) {
	t.Helper()
	n := min((len(text)-2)/block, run)
	if n <= 0 {
		return
	}
	text = text[:n*block+2]
	got, want := NewScanner(NewKey(5)), NewScanner(NewKey(5))
	have := blocks.Find(got.masks[:n], got.folded[:], text)
	want.masks = got.masks
	for _, s := range []*Scanner{got, want} {
		s.text, s.have = text[1:], have
		s.folded = got.folded
	}
	runs, byBlock := *got, *got
	a, b := make([]uint64, 2*MaxBlock), make([]uint64, 2*MaxBlock)
	for got.next < have || want.next < have {
		n, first, odd := got.hashBlocks(a)
		n2, first2, odd2 := want.hashBlocksGo(b)
		if n != n2 || odd != odd2 || odd != 0 && first != first2 || !slices.Equal(a[:n], b[:n]) ||
			got.next != want.next || got.open != want.open || got.open != 0 && got.start != want.start {
			t.Fatalf("%q: got %d words, odd %x from %d: %x; in Go %d, odd %x from %d: %x", text, n, odd, first, a[:n], n2, odd2, first2, b[:n2])
		}
	}
	var c, d []uint64
	for runs.next < have {
		c = append(c, a[:runs.words(a)]...)
	}
	for byBlock.next < have {
		d = append(d, b[:byBlock.byBlock(b)]...)
	}
	if !slices.Equal(c, d) || runs.open != byBlock.open || runs.open != 0 && runs.start != byBlock.start {
		t.Fatalf("%q: got %x, open %d from %d, by block %x, open %d from %d", text, c, runs.open, runs.start, d, byBlock.open, byBlock.start)
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
		text := make([]byte, 2+rnd.IntN((run+1)*block))
		for i := range text {
			switch rnd.IntN(4) {
			case 0:
				text[i] = byte(rnd.IntN(128))
			case 1:
				text[i] = 'a' + byte(rnd.IntN(26))
			default:
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
	f.Fuzz(checkTwinsAndTokens)
}

func checkTwinsAndTokens(t *testing.T, text []byte) {
	checkTwins(t, text)
	check(t, text)
}
