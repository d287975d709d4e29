// Package diversity brings hits into an order in which each balances its score with what it adds to the
// hits before it. This is maximal marginal relevance (Carbonell, Goldstein, "The use of MMR,
// diversity-based reranking for reordering documents and producing summaries", SIGIR 1998). How much of
// a hit was shown before is read from the lanes of the sketches, where other engines need vectors.
package diversity

import "github.com/neardup/bleve-neardup/analysis/signature"

// Hit is what the order goes by. Signature is nil where there is none: such a hit resembles nothing.
type Hit struct {
	Score     float64
	Signature *signature.Signature
}

// Order returns the places of the first n hits in the new order: always the one with the greatest
//
//	lambda·score - (1-lambda)·(the greatest resemblance to a hit before it)
//
// where scores are shares of the greatest score. Of equal ones the first comes first, so with a
// lambda of 1 the order of hits that come by score stays. It compares at most n·len(hits) pairs.
func Order(hits []Hit, lambda float64, n int) []int {
	top := 0.
	for _, h := range hits {
		top = max(top, h.Score)
	}
	if top == 0 {
		top = 1
	}
	shown, like := make([]bool, len(hits)), make([]float64, len(hits)) // the greatest resemblance to a hit before
	order := make([]int, 0, min(n, len(hits)))
	for len(order) < cap(order) {
		best, value := -1, 0.
		for i, h := range hits {
			if v := lambda*h.Score/top - (1-lambda)*like[i]; !shown[i] && (best < 0 || v > value) {
				best, value = i, v
			}
		}
		order, shown[best] = append(order, best), true
		for i, h := range hits {
			if !shown[i] {
				like[i] = max(like[i], resemblance(h.Signature, hits[best].Signature))
			}
		}
	}
	return order
}

func resemblance(a, b *signature.Signature) float64 {
	if a == nil || b == nil {
		return 0
	}
	r, _ := signature.Resemblance(a, b)
	return r.Value
}
