package plugin

import (
	"cmp"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Sign returns the signature that a document with these values would have in the fingerprinted field of that
// name, Field if it is empty, if it had the scope "" (package plugin/templates): see SignScoped.
func Sign(x bleve.Index, field string, values ...string) (*signature.Signature, error) {
	return SignScoped(x, field, "", values...)
}

// SignScoped is Sign for a document of a scope: the template of that scope is left out, if x
// leaves one out. It returns an error for an alias of indexes that leave out different ones.
func SignScoped(x bleve.Index, field, scope string, values ...string) (*signature.Signature, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	field = cmp.Or(field, Field)
	sets, err := indexes.OneTemplates(x, field)
	if err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	return neardup.Sign(x.Mapping(), field, sets.Of(scope), values...)
}

// SignatureOf returns the signature that a document of the index has in the fingerprinted
// field of that name, Field if it is empty.
func SignatureOf(x bleve.Index, field, id string) (*signature.Signature, error) {
	n, err := Of(x)
	if err != nil {
		return nil, err
	}
	return n.SignatureOf(cmp.Or(field, Field), id)
}
