// Package indexes is what the packages that take a bleve.Index must know of it first:
// whether it is there and open, of which indexes it is an alias, and whether these have
// signatures; and what is said to it and by it in JSON: hits, sort orders, and queries that
// bleve does not know or whose JSON does not keep ids.
package indexes

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
)

// Check returns an error if ctx or x is nil, or one of the indexes that x is an alias of.
func Check(ctx context.Context, x bleve.Index) error {
	if ctx == nil {
		return errors.New("wanted a context, got nil")
	}
	return Present(x)
}

// Present returns an error if x is nil, or one of the indexes that x is an alias of.
func Present(x bleve.Index) error {
	if x == nil {
		return errors.New("wanted an index, got nil")
	}
	members, _ := membersOf(x)
	for _, member := range members {
		if Present(member) != nil {
			return fmt.Errorf("alias %q: wanted indexes, got nil among them", x.Name())
		}
	}
	return nil
}

// MostHits is the largest page of hits, how many may come before it, and how many a search may look at: more than there
// is memory for. These are added up, and multiples are asked for, which must not overflow an int of 32 bits.
const MostHits = 1 << 27

// Clipped returns r, or a copy whose Size and From are at most MostHits: "all" is often written as the largest int.
func Clipped(r *bleve.SearchRequest) *bleve.SearchRequest {
	if r == nil || r.Size <= MostHits && r.From <= MostHits {
		return r
	}
	own := *r
	own.Size, own.From = min(own.Size, MostHits), min(own.From, MostHits)
	return &own
}

// Page returns an error for a page that is none, and size as far as it can be counted:
// math.MaxInt asks for all.
func Page(size, from int) (int, error) {
	if size < 0 || from < 0 {
		return 0, fmt.Errorf("wanted size and from of 0 or more, got %d and %d", size, from)
	}
	if from > MostHits {
		return 0, fmt.Errorf("wanted from of at most %d, got %d", MostHits, from)
	}
	return min(size, MostHits), nil
}

// membersOf returns the indexes that x is an alias of, and false if it is no alias.
func membersOf(x bleve.Index) ([]bleve.Index, bool) {
	alias, ok := x.(interface{ VisitIndexes(func(bleve.Index)) }) // which bleve.IndexAlias does not name
	if !ok {
		return nil, false
	}
	var all []bleve.Index
	alias.VisitIndexes(func(member bleve.Index) { all = append(all, member) })
	return all, true
}

// NoQuery reports whether q is nil, or a nil pointer.
func NoQuery(q query.Query) bool {
	v := reflect.ValueOf(q)
	return q == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Leaves returns x, or all indexes that it is an alias of, also by way of other aliases.
func Leaves(x bleve.Index) (all []bleve.Index) {
	members, ok := membersOf(x)
	if !ok {
		return []bleve.Index{x}
	}
	for _, member := range members {
		all = append(all, Leaves(member)...)
	}
	return all
}

// Reader opens a snapshot of x, one index in this process. Of a closed index the error is bleve.ErrorIndexClosed, where
// bleve's own Advanced hands it out and scorch has neither a snapshot nor an error.
func Reader(x bleve.Index) (index.IndexReader, error) {
	if err := Present(x); err != nil {
		return nil, err
	}
	inner, err := x.Advanced() // which asks no other process
	if err == nil {
		_, err = x.DocCount()
	}
	if err != nil {
		return nil, err
	}
	r, err := inner.Reader()
	if err == nil && column.Nil(r) {
		err = bleve.ErrorIndexClosed
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Mapped returns those indexes that x is, or is an alias of, whose mappings can be read. An alias that has none is
// itself returned if it was given a mapping.
func Mapped(x bleve.Index) (all []bleve.Index) {
	members, _ := membersOf(x)
	for _, member := range members {
		all = append(all, Mapped(member)...)
	}
	if _, ok := x.Mapping().(*mapping.IndexMappingImpl); ok && all == nil {
		return []bleve.Index{x}
	}
	return all
}

// Local reports whether the mappings of all indexes that x is an alias of can be read.
func Local(x bleve.Index) bool {
	return !slices.ContainsFunc(Leaves(x), func(leaf bleve.Index) bool { return Mapped(leaf) == nil })
}

// Signed returns an error if x, or an index that x is an alias of, is known to have no
// signatures of a field: its mapping does not fingerprint the field, or it is not of type
// neardup, and no document has one stored all the same. Where the mapping cannot be read, as
// the mapping of an index in another process, nothing is known.
func Signed(x bleve.Index, field string) error {
	for _, known := range Mapped(x) {
		r, err := Reader(known)
		switch {
		case err == bleve.ErrorIndexClosed: // which the search says
			return nil
		case err != nil: // in another process, or several
			err = neardup.Fingerprinted(known.Mapping(), field)
		default:
			err = SignedIn(r, known.Mapping(), field)
			r.Close()
		}
		if err != nil {
			return Named(known.Name(), err)
		}
	}
	return nil
}

// NoneSigned returns an error if x has documents, and none of them has a signature of a field. Of an index in another
// process nothing is known.
func NoneSigned(x bleve.Index, field string) error {
	if !Local(x) {
		return nil
	}
	var wrong error
	for _, leaf := range Leaves(x) {
		r, err := Reader(leaf)
		if err != nil {
			return nil
		}
		n, err := r.DocCount()
		none := NoneSignedIn(r, field)
		if r.Close(); err != nil || n > 0 && none == nil {
			return nil
		}
		if wrong == nil {
			wrong = Named(leaf.Name(), none)
		}
	}
	return wrong
}

// NoneSignedIn is NoneSigned for a snapshot.
func NoneSignedIn(r index.IndexReader, field string) error {
	fields, err := r.Fields()
	n, err2 := r.DocCount()
	if err != nil || err2 != nil || n == 0 || slices.Contains(fields, signature.Field(field).Sketch()) {
		return nil
	}
	return fmt.Errorf("field %q: wanted documents with a text that it signs, got %d without", field, n)
}

// Closed returns bleve's error, in place of err, if x is closed: what else is wrong with such
// an index does not matter. Without an error it does not ask.
func Closed(x bleve.Index, err error) error {
	if err != nil {
		if _, closed := x.DocCount(); closed == bleve.ErrorIndexClosed {
			return closed
		}
	}
	return err
}

// Named returns err with the name of an index, if it has one.
func Named(name string, err error) error {
	if err != nil && name != "" {
		return fmt.Errorf("index %q: %w", name, err)
	}
	return err
}

// SignedIn is Signed for a snapshot of an index with the mapping m.
func SignedIn(r index.IndexReader, m mapping.IndexMapping, field string) error {
	err := neardup.Fingerprinted(m, field)
	if err == nil && !column.Adopted(r) {
		if _, ok := m.(*mapping.IndexMappingImpl); !ok {
			return nil
		}
		err = column.ErrUnsigned
	}
	if err == nil {
		return nil
	}
	fields, ferr := r.Fields()
	if ferr != nil {
		return ferr
	}
	if slices.Contains(fields, signature.Field(field).Sketch()) {
		return nil // no matter what wrote it
	}
	return err
}
