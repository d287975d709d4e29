package diversity_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/diversity"
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
		var hits []diversity.Hit
		for range rnd.IntN(12) {
			h := diversity.Hit{Score: float64(rnd.IntN(4))}
			if rnd.IntN(5) > 0 {
				sig := signature.Of(signature.DefaultParams(), []byte(texts[rnd.IntN(len(texts))]))
				h.Signature = &sig
			}
			hits = append(hits, h)
		}
		slices.SortStableFunc(hits, func(a, b diversity.Hit) int { return int(b.Score - a.Score) })
		lambda := rnd.Float64()
		var want []int
		for len(want) < len(hits) {
			best, most := -1, 0.
			for i, h := range hits {
				if slices.Contains(want, i) {
					continue
				}
				like := 0.
				for _, j := range want {
					if h.Signature != nil && hits[j].Signature != nil {
						r, _ := signature.Resemblance(h.Signature, hits[j].Signature)
						like = max(like, r.Value)
					}
				}
				score := 0.
				if hits[0].Score > 0 {
					score = h.Score / hits[0].Score
				}
				if v := lambda*score - (1-lambda)*like; best < 0 || v > most {
					best, most = i, v
				}
			}
			want = append(want, best)
		}
		n := rnd.IntN(len(hits) + 2)
		if got := diversity.Order(hits, lambda, n); !slices.Equal(got, want[:min(n, len(want))]) {
			t.Fatalf("%+v by %v: got %v, want %v", hits, lambda, got, want)
		}
		for i, at := range diversity.Order(hits, 1, len(hits)) {
			if i != at {
				t.Fatalf("at 1, place %d has hit %d", i, at)
			}
		}
	}
}
