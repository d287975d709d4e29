package similar

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// within returns the fields of q, or an error if documents cannot be compared in them.
func (q *Query) within() (fields.Options, error) {
	o, err := fields.Equal(q.Within, q.WithinMissing)
	if err != nil {
		return o, fmt.Errorf("similar: query: %w", err)
	}
	if len(q.Within) > 0 && q.ID == "" {
		return o, errors.New("similar: query: within: wanted the id of a document, which has the values, got none; a filter says which documents are looked at for a text or a signature")
	}
	return o, nil
}

// equalIn returns a function that reports whether a document is equal to the document of q in the
// fields of Within; nil if there are none. own is the number of the document of q, nil if it is not of this index.
func (q *Query) equalIn(f *finder, own index.IndexInternalID) (func(doc uint64) (bool, error), error) {
	if len(q.Within) == 0 {
		return nil, nil
	}
	within, err := q.within()
	if err != nil {
		return nil, err
	}
	r, err := fields.NewReader(f.reader, q.Within)
	if err != nil {
		return nil, err
	}
	values, numbers := fields.Values(q.values), fields.Numbers{Options: within}
	switch {
	case values != nil:
	case own == nil:
		return nil, fmt.Errorf("similar: query: within: id %q: %w", q.ID, ErrNotFound)
	default:
		if values, err = valuesOf(r, own); err != nil {
			return nil, err
		}
	}
	want, _, err := numbers.Of(values)
	if err != nil {
		return nil, fmt.Errorf("similar: query: within: %w", err)
	}
	var room fields.Values
	return func(doc uint64) (bool, error) {
		if want == fields.Apart {
			return false, nil
		}
		if room, err = appendValues(r, room[:0], column.Number(doc)); err != nil {
			return false, err
		}
		scope, _, err := numbers.Of(room)
		return scope == want, err
	}, nil
}

func valuesOf(r *fields.Reader, id index.IndexInternalID) (fields.Values, error) {
	return appendValues(r, nil, id)
}

// appendValues is r.Append, in a file that might be damaged.
func appendValues(r *fields.Reader, to fields.Values, id index.IndexInternalID) (v fields.Values, err error) {
	defer column.Guard("values of fields", &err)
	return r.Append(to, id)
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
		r, err := fields.NewReader(reader, q.Within)
		if err == nil {
			q.values, err = valuesOf(r, own)
		}
		return err
	}
	q.values = fields.OfHit(hit.Fields, q.Within)
	return ctx.Err()
}
