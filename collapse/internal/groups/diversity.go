package groups

import (
	"slices"
)

// Pool is how many heads Diversify brings into another order. Later ones follow in rank order. It does
// not depend on the page, so that pages partition the heads.
const Pool = 50

// Diversify brings the heads that were taken into an order in which each balances its score with what it adds to the
// heads before it, as far as n of them. Only heads are visible then.
//
// This is maximal marginal relevance (Carbonell, Goldstein, "The use of MMR, diversity-based reranking for reordering
// documents and producing summaries", SIGIR 1998). How much of a hit was shown before is read from the lanes of the
// sketches, where other engines need vectors.
func (w *Walk) Diversify(lambda float64, n int) {
	groups, shown := slices.Clone(w.Groups[:min(Pool, len(w.Groups))]), slices.Clone(w.Hits)
	order := diverse(groups, lambda, min(n, len(groups)))
	for i := range groups { // after the page, which is all that is shown
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	for to, from := range order {
		w.Groups[to], w.Hits[to] = groups[from], shown[from]
		w.Groups[to].At = to
	}
}

// diverse returns the places of the first n heads in the new order: always the one with the greatest
//
//	lambda·score - (1-lambda)·(the greatest resemblance to a head before it)
//
// where scores are shares of the greatest score. Of equal ones the first comes first, so with a
// lambda of 1 the order of hits that come by score stays. It compares at most n·len(groups) pairs.
func diverse(groups []Group, lambda float64, n int) []int {
	top := 0.
	for i := range groups {
		top = max(top, groups[i].Head.Score)
	}
	if top == 0 {
		top = 1
	}
	shown, like := make([]bool, len(groups)), make([]float64, len(groups)) // the greatest resemblance to a head before
	order := make([]int, 0, min(n, len(groups)))
	for len(order) < cap(order) {
		best, value := -1, 0.
		for i := range groups {
			if v := lambda*groups[i].Head.Score/top - (1-lambda)*like[i]; !shown[i] && (best < 0 || v > value) {
				best, value = i, v
			}
		}
		order, shown[best] = append(order, best), true
		for i := range groups {
			if !shown[i] {
				r, _ := groups[i].Head.Signature.Resemblance(groups[best].Head.Signature)
				like[i] = max(like[i], r.Value)
			}
		}
	}
	return order
}
