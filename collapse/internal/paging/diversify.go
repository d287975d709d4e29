package paging

import (
	"slices"

	"github.com/neardup/bleve-neardup/collapse/internal/diversity"
)

// Pool is how many heads are brought into another order. Later ones follow in rank order. It does
// not depend on the page, so that pages partition the heads.
const Pool = 50

// diversify brings the heads that were taken into the order of diversity. Only heads are visible then.
func (p *Page) diversify() {
	w := p.Walk
	hits := make([]diversity.Hit, min(Pool, len(w.Groups)))
	for i := range hits {
		head := &w.Groups[i].Head
		hits[i] = diversity.Hit{Score: head.Score, Signature: head.Signature}
	}
	order := diversity.Order(hits, p.options.Diversify, min(len(hits), p.From+p.request.Size))
	for i := range hits { // after the page, which is all that is shown
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	groups, shown := slices.Clone(w.Groups), slices.Clone(w.Hits)
	for to, from := range order {
		w.Groups[to], w.Hits[to] = groups[from], shown[from]
		w.Groups[to].At = to
	}
}
