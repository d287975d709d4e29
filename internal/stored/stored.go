// Package stored reads the signature that is stored with a document, wherever it is met:
// among the fields of a hit, in a document of bleve's, or in a file. A Value collects what
// is stored, and a Hit is a hit of bleve's with the signature that was found. Reserved knows the names of what is stored.
//
// A document has one signature in a field. Several stored values are as unreadable as a
// damaged one, everywhere.
package stored

import (
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// ErrNone says that nothing is stored.
var ErrNone = errors.New("no signature stored")

// Unreadable reports whether err says that no signature is stored, or one that cannot be read.
func Unreadable(err error) bool {
	return errors.Is(err, ErrNone) || errors.Is(err, signature.ErrMalformed) || errors.Is(err, signature.ErrVersion)
}

// Hit is a hit of bleve's with its signature, or the reason why it has none: ErrNone, or an
// error that wraps signature.ErrMalformed or signature.ErrVersion.
type Hit struct {
	*search.DocumentMatch
	Signature *signature.Signature
	Err       error

	// Scope and Key are numbers of the values that the hit is grouped by: see package fields.
	Scope, Key uint32

	// Lacks has a bit for each of the fields that it has no value of: see fields.Values.
	Lacks uint64
}

// Damaged reports whether a signature is stored that cannot be read.
func (h *Hit) Damaged() bool { return h.Err != nil && !errors.Is(h.Err, ErrNone) }

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

// Strings returns the values of a loaded field of text.
func Strings(loaded any) (all []string) {
	switch v := loaded.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			all = append(all, Strings(one)...)
		}
	}
	return all
}

// Wanted is err, with the name of the stored field if it is ErrNone: a document was named, and has no signature.
func Wanted(name string, err error) error {
	if errors.Is(err, ErrNone) {
		return fmt.Errorf("wanted a document with a signature in the stored field %q, got one without", name)
	}
	return err
}

// Strip takes stored signatures out of the fields of a hit unless they are named, and what was added to the fields
// that are named. Fields is then nil if nothing is left. What is named beside "*" is loaded twice by bleve; of what
// is reserved, which has one value, that is left.
func Strip(hit *search.DocumentMatch, named []string, added ...string) {
	for field, value := range hit.Fields {
		if !signature.Reserved(field) {
			continue
		}
		if !slices.Contains(named, field) {
			delete(hit.Fields, field)
		} else if all, ok := value.([]any); ok && len(all) > 0 {
			hit.Fields[field] = all[0]
		}
	}
	for _, field := range added {
		if !slices.Contains(named, field) && !slices.Contains(named, "*") {
			delete(hit.Fields, field)
		}
	}
	if len(hit.Fields) == 0 {
		hit.Fields = nil
	}
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

// The stored fields in which admission says why it tagged a document, and of which group it is. OfField has the id of
// the document that this one is a near-duplicate of.
const (
	TagField   = "neardup_tag"
	OfField    = "neardup_of"
	GroupField = "neardup_group"
)

// Reserved reports whether only the index type writes fields of that name.
func Reserved(name string) bool {
	return signature.Reserved(name) || name == TagField || name == OfField || name == GroupField
}

// Contents describes the stored values of a document, sorted, without its id and what is Reserved. All fields are
// stored of one that was read: bleve does not say so.
func Contents(doc index.Document, read bool) (all []string) {
	doc.VisitFields(func(f index.Field) {
		if (read || f.Options().IsStored()) && f.Name() != "_id" && !Reserved(f.Name()) {
			all = append(all, fmt.Sprintf("%s %v %c %q", f.Name(), f.ArrayPositions(), f.EncodedFieldType(), f.Value()))
		}
	})
	slices.Sort(all)
	return all
}
