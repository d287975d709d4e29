package groups

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// The order is what the definition says, and a shorter one is its beginning.
func TestOrder(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	texts := []string{
		"one two three four five six seven", "one two three four five six eight", "nine ten eleven twelve thirteen fourteen",
		"one two three four five six seven", "ten eleven twelve thirteen fourteen fifteen sixteen",
	}
	for range 300 {
		var groups []Group
		for range rnd.IntN(12) {
			h := stored.Hit{DocumentMatch: &search.DocumentMatch{Score: float64(rnd.IntN(4))}, Signature: none}
			if rnd.IntN(5) > 0 {
				sig := signature.Of(signature.DefaultParams(), []byte(texts[rnd.IntN(len(texts))]))
				h.Signature = &sig
			}
			groups = append(groups, Group{Head: h})
		}
		slices.SortStableFunc(groups, func(a, b Group) int { return int(b.Head.Score - a.Head.Score) })
		lambda := rnd.Float64()
		var want []int
		for len(want) < len(groups) {
			best, most := -1, 0.
			for i, g := range groups {
				if slices.Contains(want, i) {
					continue
				}
				like := 0.
				for _, j := range want {
					r, _ := g.Head.Signature.Resemblance(groups[j].Head.Signature)
					like = max(like, r.Value)
				}
				score := 0.
				if groups[0].Head.Score > 0 {
					score = g.Head.Score / groups[0].Head.Score
				}
				if v := lambda*score - (1-lambda)*like; best < 0 || v > most {
					best, most = i, v
				}
			}
			want = append(want, best)
		}
		n := rnd.IntN(len(groups) + 2)
		if got := diverse(groups, lambda, n); !slices.Equal(got, want[:min(n, len(want))]) {
			t.Fatalf("%+v by %v: got %v, want %v", groups, lambda, got, want)
		}
		for i, at := range diverse(groups, 1, len(groups)) {
			if i != at {
				t.Fatalf("at 1, place %d has hit %d", i, at)
			}
		}
	}
}
