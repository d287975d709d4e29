package table_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// Thousands of copies of a few texts, so that slots wrap around and tables grow. They are
// still found in their order.
func TestEachOfCopies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 2 {
		texts := []*signature.Signature{random(rnd, 100), random(rnd, 100), random(rnd, 100)}
		tab := table.New(signature.Rule{})
		want := make([][]int, len(texts))
		for n := range 2000 {
			k := rnd.IntN(len(texts))
			tab.Add(texts[k])
			want[k] = append(want[k], n)
		}
		for k, s := range texts {
			if got := slices.Collect(tab.Each(s)); !slices.Equal(got, want[k]) {
				t.Fatalf("copies of %d: %v, want %v", k, got, want[k])
			}
		}
	}
}
