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
	switch err := q.resolve(ctx, &members{leaves: indexes.Leaves(index), failed: map[int]error{}}); {
	case errors.Is(err, ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &q, nil
}

// members are the indexes of an alias, or one index. failed has those in other processes that failed, by their places.
type members struct {
	leaves []bleve.Index
	failed map[int]error
}

// ask asks the members that have not failed, the remote ones all at the same time, and calls take with their answers,
// in order. An error of one in this process, or of take, ends it.
func ask[T any](m *members, local func(bleve.Index) (T, error), away func(remote) (T, error),
	take func(from bleve.Index, answer T) error,
) error {
	answers := make([]func() (T, error), len(m.leaves))
	for i, leaf := range m.leaves {
		if r, ok := leaf.(remote); ok && m.failed[i] == nil {
			answers[i] = sync.OnceValues(func() (T, error) { return away(r) })
			go answers[i]()
		}
	}
	for i, leaf := range m.leaves {
		if m.failed[i] != nil {
			continue
		}
		var answer T
		var err error
		if answers[i] != nil {
			if answer, err = answers[i](); err != nil {
				m.failed[i] = err
				continue
			}
		} else if _, err = leaf.Advanced(); err != nil {
			err = indexes.Closed(leaf, fmt.Errorf("near: wanted a local index, or one that answers for passages, got another: %w", err))
		} else {
			answer, err = local(leaf)
		}
		if err != nil {
			return indexes.Named(leaf.Name(), err)
		}
		if err := take(leaf, answer); err != nil {
			return err
		}
	}
	return nil
}

// status says which members failed.
func (m *members) status() *bleve.SearchStatus {
	s := &bleve.SearchStatus{Total: len(m.leaves), Failed: len(m.failed), Successful: len(m.leaves) - len(m.failed)}
	for i, err := range m.failed {
		if s.Errors == nil {
			s.Errors = bleve.IndexErrMap{}
		}
		s.Errors[m.leaves[i].Name()] = err
	}
	return s
}
