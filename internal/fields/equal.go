package fields

import (
	"errors"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
)

// EqualToID returns the Options of fields in which documents must be equal to the one of an id, as a caller names them: what else
// a query is about, such as a text, has no values.
func EqualToID(within []string, id string) (Options, error) {
	o := Options{Within: within}
	err := o.Validate()
	if err == nil && len(within) > 0 && id == "" {
		err = errors.New("within: wanted the id of a document, which has the values, got none; a filter says which documents are looked at for a text")
	}
	return o, err
}

// EqualTo returns a function that reports whether a document of the snapshot is equal in the fields of
// o.Within to one with these Values; nil if o names none. The function is not safe for concurrent use.
func EqualTo(snapshot index.IndexReader, o Options, values Values) (func(doc uint64) (bool, error), error) {
	if len(o.Within) == 0 {
		return nil, nil
	}
	numbers := Numbers{Options: o}
	want, _, err := numbers.Of(values)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(snapshot, o.Within)
	if err != nil {
		return nil, err
	}
	var room Values
	return func(doc uint64) (bool, error) {
		if want == Apart {
			return false, nil
		}
		if room, err = r.Append(room[:0], column.Number(doc)); err != nil {
			return false, err
		}
		scope, _, err := numbers.Of(room)
		return scope == want, err
	}, nil
}
