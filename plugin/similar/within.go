package similar

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// within returns the fields in which documents must be equal to the one of q.
func (q *Query) within() (fields.Options, error) {
	o, err := fields.EqualToID(q.Within, q.ID)
	if err != nil {
		err = fmt.Errorf("similar: query: %w", err)
	}
	return o, err
}

// equalIn returns a function that reports whether a document is equal to the document of q in the
// fields of Within; nil if there are none. own is the number of the document of q, nil if it is not of this index.
func (q *Query) equalIn(f *finder, own index.IndexInternalID) (func(doc uint64) (bool, error), error) {
	within, err := q.within()
	if err != nil || len(q.Within) == 0 {
		return nil, err
	}
	values := fields.Values(q.values)
	switch {
	case values != nil:
	case own == nil:
		return nil, fmt.Errorf("similar: query: within: id %q: %w", q.ID, ErrNotFound)
	default:
		if values, err = fields.Of(f.reader, q.Within, own); err != nil {
			return nil, err
		}
	}
	equal, err := fields.EqualTo(f.reader, within, values)
	if err != nil {
		return nil, fmt.Errorf("similar: query: within: %w", err)
	}
	return equal, nil
}

// resolveWithin reads the values of the document of q, which hit names: from a local index as they are
// indexed, from a remote one as they are stored.
func (q *Query) resolveWithin(ctx context.Context, index bleve.Index, hit *search.DocumentMatch) error {
	if len(q.Within) == 0 {
		return nil
	}
	for _, leaf := range indexes.Leaves(index) {
		if leaf.Name() != hit.Index {
			continue
		}
		if _, err := leaf.Advanced(); err != nil {
			continue // remote
		}
		_, reader, err := indexes.Reader(leaf)
		if err != nil {
			return err
		}
		defer reader.Close()
		own, err := reader.InternalID(hit.ID)
		if err != nil {
			return err
		}
		if own == nil {
			continue // another index of that name
		}
		q.values, err = fields.Of(reader, q.Within, own)
		return err
	}
	q.values = fields.OfHit(hit.Fields, q.Within)
	return ctx.Err()
}
