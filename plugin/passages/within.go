package passages

import (
	"errors"
	"fmt"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
)

// within returns the fields of q.
func (q *Query) within() fields.Options {
	return fields.Options{Within: q.Within, Apart: q.WithinMissing == collapse.KeepMissing}
}

// checkWithin returns an error for fields in which documents cannot be compared.
func (q *Query) checkWithin() error {
	switch q.WithinMissing {
	case "", collapse.KeepMissing, collapse.GroupMissing:
	default:
		return fmt.Errorf("passages: query: within_missing: wanted %q or %q, got %q", collapse.KeepMissing, collapse.GroupMissing, q.WithinMissing)
	}
	o := q.within()
	if err := o.Validate(); err != nil {
		return fmt.Errorf("passages: query: %w", err)
	}
	if len(q.Within) > 0 && q.ID == "" {
		return errors.New("passages: query: within: wanted the id of a document, which has the values, got none; a filter says which documents are looked at for a text")
	}
	return nil
}

// equalIn returns what says whether a document is equal to the given one in the fields of Within; nil if all are.
func (q *Query) equalIn(reader index.IndexReader, g *given) (func(doc uint64) (bool, error), error) {
	if len(q.Within) == 0 {
		return nil, nil
	}
	r, err := fields.NewReader(reader, q.Within)
	if err != nil {
		return nil, err
	}
	numbers := fields.Numbers{Options: q.within()}
	want, _, err := numbers.Of(g.within)
	if err != nil {
		return nil, fmt.Errorf("passages: query: within: %w", err)
	}
	var room fields.Values
	return func(doc uint64) (bool, error) {
		if want == fields.Apart {
			return false, nil
		}
		if room, err = valuesIn(r, room[:0], doc); err != nil {
			return false, err
		}
		scope, _, err := numbers.Of(room)
		return scope == want, err
	}, nil
}

// valuesIn is r.Append, in a file that might be damaged.
func valuesIn(r *fields.Reader, to fields.Values, doc uint64) (v fields.Values, err error) {
	defer column.Guard("values of fields", &err)
	return r.Append(to, column.Number(doc))
}
