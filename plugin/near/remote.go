package near

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// remote is an index in another process that answers by itself, such as a shards.Remote.
type remote interface {
	// Passages is Passages there, of what PassagesRequestOf makes of r.
	Passages(ctx context.Context, r *bleve.SearchRequest) (*PassagesResult, error)

	// PassagesOf is ReadPassages there.
	PassagesOf(ctx context.Context, q PassagesQuery) (found *PassagesQuery, err error)
}

// PassagesRequestOf returns what Passages asks of an index in another process, where this one is: see
// plugin/cluster/shards. The query of r is a PassagesQuery, alone or with a filter, as Passages sends it; any other
// is an error.
func PassagesRequestOf(r *bleve.SearchRequest) (own PassagesRequest, err error) {
	if r == nil {
		return own, errors.New("near: wanted a request, got nil")
	}
	q := r.Query
	if filtered, ok := q.(*query.BooleanQuery); ok && filtered.Should == nil && filtered.MustNot == nil {
		if must, ok := filtered.Must.(*query.ConjunctionQuery); ok && len(must.Conjuncts) == 1 {
			q, own.Filter = must.Conjuncts[0], filtered.Filter
		}
	}
	asked, ok := q.(*PassagesQuery)
	if !ok || asked == nil {
		return PassagesRequest{}, fmt.Errorf("near: wanted a query for passages, alone or with a filter, got a %T", q)
	}
	own.Query, own.Size, own.From, own.Fields = *asked, r.Size, r.From, r.Fields
	return own, nil
}

// ReadPassages reads the document that q names, and returns q with what an index that does not have the
// document needs to know of it. It returns nil if index does not have the document.
func ReadPassages(ctx context.Context, index bleve.Index, q PassagesQuery) (found *PassagesQuery, err error) {
	if err := indexes.Check(ctx, index); err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if q.ID == "" {
		return nil, errors.New("near: query: wanted the id of a document, got none")
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

// ask asks the members that are remote, by their places, but those that have failed: all at the same time.
// What it returns waits for their answers.
func ask[T any](leaves []bleve.Index, failed map[int]error, f func(remote) (T, error)) map[int]func() (T, error) {
	all := map[int]func() (T, error){}
	for i, leaf := range leaves {
		if r, ok := leaf.(remote); ok && failed[i] == nil {
			answer := sync.OnceValues(func() (T, error) { return f(r) })
			all[i] = answer
			go answer()
		}
	}
	return all
}
