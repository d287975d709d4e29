package passages

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/lookup"
)

// remote is an index in another process that answers by itself, such as a shards.Remote.
type remote interface {
	// Passages is Search there, of what RequestOf makes of r.
	Passages(ctx context.Context, r *bleve.SearchRequest) (*Result, error)

	// PassagesOf is Find there.
	PassagesOf(ctx context.Context, q Query) (found *Query, err error)
}

// RequestOf returns what Search asks of an index in another process, where this one is: see plugin/shards. The query of r is a Query, alone or
// with a filter, as Search sends it; any other is an error.
func RequestOf(r *bleve.SearchRequest) (own Request, err error) {
	if r == nil {
		return own, errors.New("passages: wanted a request, got nil")
	}
	q := r.Query
	if filtered, ok := q.(*query.BooleanQuery); ok && filtered.Should == nil && filtered.MustNot == nil {
		if must, ok := filtered.Must.(*query.ConjunctionQuery); ok && len(must.Conjuncts) == 1 {
			q, own.Filter = must.Conjuncts[0], filtered.Filter
		}
	}
	asked, ok := q.(*Query)
	if !ok || asked == nil {
		return Request{}, fmt.Errorf("passages: wanted a query for passages, alone or with a filter, got a %T", q)
	}
	own.Query, own.Size, own.From, own.Fields = *asked, r.Size, r.From, r.Fields
	return own, nil
}

// Find reads the document that q names, and returns q with what an index that does not have the document needs to know of it. It returns
// nil if index does not have the document.
func Find(ctx context.Context, index bleve.Index, q Query) (found *Query, err error) {
	if err := indexes.Check(ctx, index); err != nil {
		return nil, fmt.Errorf("passages: %w", err)
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if q.ID == "" {
		return nil, errors.New("passages: query: wanted the id of a document, got none")
	}
	q.given = nil
	switch _, err := q.resolve(ctx, indexes.Leaves(index)); {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &q, nil
}

// answers collects what indexes in other processes say, at the same time.
type answers[T any] struct {
	all map[int]chan answer[T]
}

type answer[T any] struct {
	value T
	err   error
}

// ask asks the members that are remote, by their places, but those that have failed.
func ask[T any](leaves []bleve.Index, failed map[int]error, f func(remote) (T, error)) answers[T] {
	a := answers[T]{map[int]chan answer[T]{}}
	for i, leaf := range leaves {
		if r, ok := leaf.(remote); ok && failed[i] == nil {
			c := make(chan answer[T], 1)
			a.all[i] = c
			go func() {
				v, err := f(r)
				c <- answer[T]{v, err}
			}()
		}
	}
	return a
}

// of waits for the answer of the i-th member, which was asked if ok is true.
func (a answers[T]) of(i int) (v T, ok bool, err error) {
	c, ok := a.all[i]
	if !ok {
		return v, false, nil
	}
	got := <-c
	return got.value, true, got.err
}

// request is what a remote member is asked: its first hits, up to the end of the page.
func (q *Query) request(r Request) *bleve.SearchRequest {
	return lookup.Request(q, r.Filter, r.From+r.Size, 0, r.Fields)
}
