package collapse

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/neardup/bleve-neardup/internal/fields"
)

// By folds hits with equal values of a field, as a search engine's collapse by a key does: the
// pages of a host, the offers of a product. Options.Visible then is how many hits of each key
// are shown. It works on any index of bleve's, and needs no signatures unless Or is set.
//
// The values of a hit are the terms that bleve sorts the field by, its doc values; in an index
// that has no terms of the field, its stored values. Members of an alias that are neither local
// nor of package plugin/shards give stored values alone, in which a date is a text. Fields of
// keywords, numbers, booleans and dates are meant; the values of a text are its words. A hit
// with several values is equal to one with the same set of values. Nested documents have values
// of their own, which do not count.
//
// To fold near-duplicates only if they have equal values, too, name the field in Options.Within.
type By struct {
	// Field is the field of the key. A hit without a value has no key: see Options.Missing.
	Field string `json:"field"`

	// Or folds near-duplicates as well: a hit is of the first head that has its key or is a
	// near-duplicate of it. A hit without a key is then of a head that it is a near-duplicate
	// of, or a head.
	Or bool `json:"or,omitempty"`

	// Most is how many heads may have the same key, 1 if 0; more than 1 needs Or. Hits beyond
	// them are members of the first, so that a page has at most three results of a host, say,
	// and no near-duplicates.
	Most int `json:"most,omitempty"`
}

// UnmarshalJSON fills b from JSON; unknown members are errors.
func (b *By) UnmarshalJSON(data []byte) error {
	type plain By
	var v plain
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("by: %w", wanted(err))
	}
	*b = By(v)
	return nil
}

// fields returns which values of fields group hits.
func (o Options) fields() fields.Options {
	f := fields.Options{Within: o.Within, Apart: o.WithinMissing == KeepMissing}
	if b := o.By; b != nil {
		f.By, f.Or, f.Most = b.Field, b.Or, max(1, b.Most)
	}
	return f
}

// checkFields returns an error for fields that hits cannot be grouped by.
func (o Options) checkFields() error {
	f := o.fields()
	b := o.By
	switch {
	case b != nil && b.Field == "":
		return fmt.Errorf("collapse: by: field: wanted the name of a field, got none")
	case b != nil && b.Most < 0:
		return fmt.Errorf("collapse: by: most: wanted 0 or more, got %d", b.Most)
	case b != nil && b.Most > 1 && !b.Or:
		return fmt.Errorf("collapse: by: most needs or, got %d without: visible is how many hits of a key are shown", b.Most)
	case o.WithinMissing != "" && o.WithinMissing != KeepMissing && o.WithinMissing != GroupMissing:
		return fmt.Errorf("collapse: within_missing: wanted %q or %q, got %q", KeepMissing, GroupMissing, o.WithinMissing)
	}
	if err := f.Validate(); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	return nil
}
