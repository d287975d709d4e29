package template

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// A set that remembers what it left out of other documents, from several goroutines at once, leaves out
// what plain loops do.
func TestMemory(t *testing.T) {
	t.Parallel()
	for _, width := range []int{2, 4, 7} {
		rnd := rand.New(rand.NewPCG(uint64(width), 1))
		text := make([]uint64, 600)
		for i := range text {
			text[i] = rnd.Uint64()
		}
		copy(text[400:], text[100:150]) // a passage that goes on in two ways
		frequent := map[uint32]bool{}
		var prints []uint32
		for i := 0; i+width <= len(text); i++ {
			if i == 300 { // and a gap of one shingle
				continue
			}
			p := max(1, uint32(naiveShingle(text[i:i+width])>>32))
			frequent[p] = true
			prints = append(prints, p)
		}
		set := newSet(width, 1, prints)
		var wait sync.WaitGroup
		for g := range 4 {
			wait.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 2))
				for range 50 {
					var doc []uint64
					for range 1 + rnd.IntN(6) {
						from := rnd.IntN(len(text))
						doc = append(doc, text[from:from+rnd.IntN(min(len(text)-from, 250)+1)]...)
						for range rnd.IntN(4) {
							doc = append(doc, rnd.Uint64())
						}
					}
					want := naiveLeft(doc, width, frequent)
					got := make([]bool, len(doc))
					for _, r := range set.Runs(doc) {
						for i := r.From; i < r.To; i++ {
							got[i] = true
						}
					}
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("width %d: got %v, want %v", width, got, want)
						return
					}
				}
			})
		}
		wait.Wait()
		known := set.memory.known.Load()
		if known == nil || len(known.tokens) < 200 || len(known.tokens) > 2*len(prints)+width {
			t.Errorf("width %d: got %+v, want passages of at most %d tokens", width, known, 2*len(prints)+width)
		}
	}
}
