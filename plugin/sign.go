package plugin

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Sign returns the signature that a document with these values would have in the
// fingerprinted field of that name, if it had the scope "" (package plugin/templates): see SignScoped.
func Sign(x bleve.Index, field string, values ...string) (*signature.Signature, error) {
	return SignScoped(x, field, "", values...)
}

// SignScoped is Sign for a document of a scope: the template of that scope is left out, if x
// leaves one out. It returns an error for an alias of indexes that leave out different ones.
func SignScoped(x bleve.Index, field, scope string, values ...string) (*signature.Signature, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	sets, err := indexes.OneTemplates(x, field)
	if err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	return neardup.Sign(x.Mapping(), field, sets.Of(scope), values...)
}

// SignatureOf returns the signature that a document of the index has in the fingerprinted
// field of that name, Field if it is empty.
func SignatureOf(x bleve.Index, field, id string) (*signature.Signature, error) {
	if _, err := inner(x); err != nil {
		return nil, err
	}
	doc, err := x.Document(id)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, fmt.Errorf("plugin: wanted a document of the index, got %q", id)
	}
	if field == "" {
		field = Field
	}
	name := signature.SketchField(field)
	s, err := stored.OfDocument(doc, name)
	if err = stored.Wanted(name, err); err != nil {
		return nil, fmt.Errorf("plugin: document %q: %w", id, err)
	}
	return s, nil
}
