package paging

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// toKey takes the hits that rank before the page of the caller's key, or with SearchBefore the
// page, too. A key does not say which heads these are.
func (p *Page) toKey(ctx context.Context) error {
	after, before := p.Hits.Keys()
	first, err := p.Hits.AtKey(ctx, after, before)
	if err != nil {
		return err
	}
	if p.Full = before != nil; first != nil || before == nil {
		if err := p.walkTo(ctx, first, before != nil); err != nil {
			return err
		}
	}
	visible := p.Walk.Shown()
	p.From, p.want = visible, visible+p.request.Size
	if before != nil {
		p.From, p.want = max(0, visible-p.request.Size), visible
	}
	return nil
}

// walkTo takes all hits before stop, and stop too if it is to be included, or all there are if it
// is nil or does not come.
func (p *Page) walkTo(ctx context.Context, stop *search.DocumentMatch, included bool) error {
	p.afterAll = stop == nil
	for {
		hit, err := p.Hits.Next(ctx, max(p.expected, p.request.Size))
		if err != nil {
			return err
		}
		if hit == nil {
			if p.Hits.Done() || stop == nil {
				return nil
			}
			return fmt.Errorf("collapse: wanted search_after, search_before or a cursor among the first %d hits, the budget, got one beyond: %w", p.options.Budget, ErrTooMany)
		}
		here := stop != nil && ranking.PlaceOf(hit.DocumentMatch) == ranking.PlaceOf(stop)
		if here && !included {
			p.Hits.Unread()
			return nil
		}
		if p.Walk.Take(hit, true); here {
			return nil
		}
	}
}

// CheckKey returns an error for options that cannot be combined with the caller's key, if r has one.
func (o *Options) CheckKey(r *bleve.SearchRequest) error {
	switch {
	case r == nil || r.SearchAfter == nil && r.SearchBefore == nil:
		return nil
	case o.Diversify > 0:
		return errors.New("collapse: diversify cannot be combined with search_after or search_before")
	case len(o.Head) > 0:
		return errors.New("collapse: head cannot be combined with search_after or search_before: the hit that is shown has another key than the place of its group")
	case o.Demote:
		return errors.New("collapse: demote cannot be combined with search_after or search_before, as a hit has two places")
	case o.Cursor != nil:
		return errors.New("collapse: a cursor cannot be combined with search_after or search_before")
	}
	return nil
}
