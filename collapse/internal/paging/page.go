// Package paging takes the hits of one page: a Page takes hits in rank order, from where it
// begins, after a cursor or at a key, until it is full. Part makes an index a part that answers
// a search in the same way.
package paging

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// ErrTooMany and ErrRequest are the errors of package collapse by these names.
var (
	ErrTooMany = errors.New("too many matches")
	ErrRequest = errors.New("invalid request")
)

// Invalid is an error that wraps ErrRequest without repeating it.
type Invalid struct{ error }

// Wrong returns an Invalid.
func Wrong(err error) error { return Invalid{err} }

// Unwrap returns ErrRequest and the error itself.
func (e Invalid) Unwrap() []error { return []error{ErrRequest, e.error} }

// Unsigned says what else can be done about an index without signatures; nil stays nil.
func Unsigned(err error) error {
	if err == nil {
		return nil
	}
	return Invalid{fmt.Errorf("collapse: %w; missing \"keep\" searches it as it is", err)}
}

// CheckRequest returns an error for a request that has no page of hits.
func CheckRequest(r *bleve.SearchRequest) error {
	if r == nil || indexes.NoQuery(r.Query) {
		return errors.New("collapse: wanted a request with a query, got none")
	}
	if _, err := indexes.Page(r.Size, r.From); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	return ranking.CheckKey(r)
}

// Options says which page it is. Budget and Groups must be set.
type Options struct {
	Budget   int // hits
	Groups   grouping.Options
	Keep     ranking.Keep
	Complete bool             // the groups are to have all members
	Head     search.SortOrder // each group is to show the first hit in this order
	Cursor   *Cursor

	// Diversify is the lambda by which heads are brought into another order; 0 for rank order.
	Diversify float64
}

// Page is a page of hits, from one place among the visible hits to another.
type Page struct {
	Hits *ranking.Hits
	Walk *grouping.Walk
	From int  // where the page begins, counting the visible hits of all pages
	Full bool // or no hit is left, or the budget is spent

	options  Options
	request  *bleve.SearchRequest
	want     int   // visible hits up to its end
	ahead    []met // hits, which were taken up to at
	at       int
	last     met // the last that was taken
	rejected int // hits that the pages before counted
}

// Open returns a page that nothing was taken for. It must be closed. The error is of the
// request.
func Open(index bleve.Index, request *bleve.SearchRequest, o Options) (*Page, error) {
	far := o.Cursor != nil || request.SearchAfter != nil || request.SearchBefore != nil
	hits, err := ranking.Open(index, request, ranking.Options{
		Field: o.Groups.Field, Rule: o.Groups.Rule, Fields: o.Groups.Fields, Visible: o.Groups.Visible,
		Budget: o.Budget, Keep: o.Keep, Far: far,
	})
	if err != nil {
		return nil, err
	}
	return &Page{options: o, request: request, Hits: hits, Walk: grouping.New(o.Groups)}, nil
}

// Close lets go of what the page needed.
func (p *Page) Close() {
	p.Walk.Release()
	p.Hits.Close()
}

// Fill takes hits until the page is full, no hit is left, or the budget is spent. The error is of
// a rule or a page that cannot be, or bleve's.
func (p *Page) Fill(ctx context.Context) (*outcome.Outcome, error) {
	err := p.begin(ctx)
	for err == nil && !p.Full {
		_, err = p.Take(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := p.Walk.Err(); err != nil {
		return nil, Wrong(err)
	}
	return p.outcome(ctx)
}

// begin finds where the page begins: at From, after a cursor, or at a key.
func (p *Page) begin(ctx context.Context) error {
	r, o := p.request, p.options
	byKey := r.SearchAfter != nil || r.SearchBefore != nil
	p.From, p.want = r.From, min(r.From+r.Size, o.Budget)
	switch {
	case o.Cursor != nil:
		if r.Size > 0 {
			if err := p.toCursor(ctx, o.Cursor); err != nil {
				return err
			}
		}
		p.From, p.want = p.Walk.Before, p.Walk.Before+min(r.Size, o.Budget)
	case byKey:
		p.Walk.Reserve(o.Budget)
	default:
		if o.Diversify > 0 {
			p.want = max(p.want, min(Pool, o.Budget))
		}
		p.Walk.Reserve(p.want)
	}
	if r.Size == 0 {
		p.Full = true
		return p.Hits.Count(ctx)
	}
	if byKey && o.Cursor == nil {
		return p.toKey(ctx)
	}
	return nil
}

// Take takes the next hit and returns it. The page is full without one, or if it would be the
// first of the next page.
func (p *Page) Take(ctx context.Context) (*stored.Hit, error) {
	if p.at == len(p.ahead) {
		p.ahead, p.at = p.ahead[:0], 0
		ok, err := p.meet(ctx, p.want-p.Walk.Shown())
		if err != nil || !ok {
			p.Full = true
			return nil, err
		}
	}
	hit := &p.ahead[p.at]
	if !p.Walk.Take(&hit.Hit, p.Walk.Shown() < p.want) {
		p.Full = true
		return nil, nil
	}
	p.last = *hit
	p.at++
	return &hit.Hit, nil
}

// check returns an error for a page that begins after what the budget shows: without
// hits, it would be taken for a page after the last.
func (p *Page) check(shown int) error {
	switch r := p.request; {
	case shown > 0 || p.From == 0 || p.Done() || r.Size == 0 || p.options.Cursor != nil:
		return nil
	case r.From == 0:
		return fmt.Errorf("collapse: wanted search_after with a hit to show after it among the first %d, the budget, got none: %w", p.Hits.Taken(), ErrTooMany)
	default:
		return fmt.Errorf("collapse: from: wanted less than the %d hits that a budget of %d shows, got %d: %w",
			len(p.Shown(0)), p.options.Budget, r.From, ErrTooMany)
	}
}

// Shown returns the hits to show from the given place on.
func (p *Page) Shown(from int) search.DocumentMatchCollection {
	hits := p.Walk.Hits
	return append(search.DocumentMatchCollection{}, hits[min(from-p.Walk.Before, len(hits)):]...)
}
