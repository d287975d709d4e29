package paging

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2/search"
)

// toKey takes the hits that rank before the page of the caller's key, or with SearchBefore the
// page, too. A key does not say which heads these are.
func (p *Page) toKey(ctx context.Context) error {
	after, before := p.Hits.Keys()
	if err := p.walkTo(ctx, after, before); err != nil {
		return err
	}
	visible := p.Walk.Shown()
	p.From, p.want = visible, visible+p.request.Size
	if p.Full = before != nil; p.Full {
		p.From, p.want = max(0, visible-p.request.Size), visible
	}
	return nil
}

// walkTo takes all hits up to the key after, or before the key before.
func (p *Page) walkTo(ctx context.Context, after, before *search.DocumentMatch) error {
	if before != nil {
		p.Hits.Free(1) // the first that is not taken
	}
	for {
		ok, err := p.meet(ctx, p.request.Size)
		if err != nil {
			return err
		}
		if !ok && p.Hits.Done() {
			return nil
		}
		if !ok {
			return p.beyond()
		}
		hit := p.ahead[p.at].DocumentMatch
		if after != nil && p.Hits.Compare(hit, after) > 0 || before != nil && p.Hits.Compare(hit, before) >= 0 {
			return nil
		}
		p.before()
	}
}

// beyond is the error of a place beyond the budget.
func (p *Page) beyond() error {
	const text = "collapse: wanted search_after, search_before or a cursor among the first %d hits, the budget, got one beyond: %w"
	return fmt.Errorf(text, p.options.Budget, ErrTooMany)
}
