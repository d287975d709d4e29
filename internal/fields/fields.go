// Package fields reads the values of fields by which a search groups its hits: Options name
// the fields, a Reader reads them in a snapshot, as Values, and Numbers turns these into
// numbers, equal ones for equal values.
//
// The values of a document in a field are the terms that the field is sorted by: its doc values. Of an index in
// another process they are its stored values. They are a set: order and repetition do not count, and two documents
// with several values are equal if they have the same set. Values of nested documents are not among those of the
// whole.
package fields

import (
	"errors"
	"fmt"
	"slices"
)

// Options says which values group hits. The zero Options is none.
type Options struct {
	// Within are fields in which the hits of a group are equal. A hit that lacks one of them is
	// equal to no other.
	Within []string `json:"within,omitempty"`

	// By is the field of the key: hits with equal values of it are of one group. Or says that
	// near-duplicates are, too; then Most is how many heads a key may have, at least 1.
	By   string `json:"by,omitempty"`
	Or   bool   `json:"or,omitempty"`
	Most int    `json:"most,omitempty"`
}

// Any reports whether values are to be read at all.
func (o Options) Any() bool { return o.By != "" || len(o.Within) > 0 }

// Alone reports whether values decide alone: then no signature is needed.
func (o Options) Alone() bool { return o.By != "" && !o.Or }

// Names returns the names of all fields, first those of Within.
func (o Options) Names() []string {
	if o.By == "" {
		return o.Within
	}
	return append(o.Within[:len(o.Within):len(o.Within)], o.By)
}

// CheckBy returns an error for a key by which hits cannot be grouped.
func CheckBy(field string, or bool, most int) error {
	switch {
	case field == "":
		return errors.New("field: wanted the name of a field, got none")
	case most < 0:
		return fmt.Errorf("most: wanted 0 or more, got %d", most)
	case most > 1 && !or:
		return fmt.Errorf("most needs or, got %d without: visible is how many hits of a key are shown", most)
	}
	return nil
}

// most is how many fields there can be: Values.Lacks has a bit for each.
const most = 64

// Validate returns an error for names that are none, or come twice, or are too many.
func (o Options) Validate() error {
	names := o.Names()
	if len(names) > most {
		return fmt.Errorf("within, by: wanted at most %d fields, got %d", most, len(names))
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("within, by: wanted fields that differ, got %q twice", name)
		}
		if name == "" {
			return errors.New("within: wanted names of fields, got an empty one")
		}
	}
	return nil
}
