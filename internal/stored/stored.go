// Package stored reads the signature that is stored with a document, wherever it is met:
// among the fields of a hit, in a document of bleve's, or in a file. A Value collects what
// is stored, and a Hit is a hit of bleve's with the signature that was found.
//
// A document has one signature in a field. Several stored values are as unreadable as a
// damaged one, everywhere.
package stored

import (
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// ErrNone says that nothing is stored.
var ErrNone = errors.New("no signature stored")

// Hit is a hit of bleve's with its signature, or the reason why it has none: ErrNone, or an
// error that wraps signature.ErrMalformed or signature.ErrVersion.
type Hit struct {
	*search.DocumentMatch
	Signature *signature.Signature
	Err       error

	// More are the signatures of further fields, where a search compares several.
	More []Signed

	// Scope and Key are numbers of the values that the hit is grouped by: see package fields.
	Scope, Key uint32
}

// Signed is the signature of one field, or the reason why there is none, as in Hit.
type Signed struct {
	Signature *signature.Signature
	Err       error
}

// In returns the hit with the signature of one field: 0 is the first, and others are of More.
func (h *Hit) In(field int) Hit {
	one := Hit{DocumentMatch: h.DocumentMatch, Signature: h.Signature, Err: h.Err}
	switch {
	case field > len(h.More):
		one.Signature, one.Err = new(signature.Signature), ErrNone
	case field > 0:
		one.Signature, one.Err = h.More[field-1].Signature, h.More[field-1].Err
	}
	return one
}

// Value is what was found under one name. The zero Value is empty.
type Value struct {
	sig  *signature.Signature
	err  error
	many bool
}

// Add adds a stored value.
func (v *Value) Add(text []byte) {
	if v.sig != nil {
		v.many = true
		return
	}
	v.sig = new(signature.Signature)
	v.err = v.sig.UnmarshalText(text)
}

// Signature returns the signature of the one value that was added. The error is ErrNone
// after no value, and wraps signature.ErrMalformed after several.
func (v *Value) Signature() (*signature.Signature, error) {
	switch {
	case v.many:
		return nil, fmt.Errorf("neardup: wanted one stored signature, got several: %w", signature.ErrMalformed)
	case v.sig == nil:
		return nil, ErrNone
	case v.err != nil:
		return nil, v.err
	}
	return v.sig, nil
}

// OfHit returns the signature in the loaded fields of a hit; name is that of the stored field.
func OfHit(hit *search.DocumentMatch, name string) (*signature.Signature, error) {
	var v Value
	switch value := hit.Fields[name].(type) {
	case nil:
	case string:
		v.Add([]byte(value))
	case []any:
		v.many = true
	default:
		return nil, fmt.Errorf("neardup: stored field %s: wanted one string, got a %T: %w", name, value, signature.ErrMalformed)
	}
	return v.Signature()
}

// OfDocument returns the signature of a document, nil for one that is not there; name is that
// of the stored field.
func OfDocument(d index.Document, name string) (*signature.Signature, error) {
	var v Value
	if d != nil {
		d.VisitFields(func(f index.Field) {
			if f.Name() == name {
				v.Add(f.Value())
			}
		})
	}
	return v.Signature()
}
