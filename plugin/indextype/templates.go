package indextype

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/util"

	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/templates"
)

// SetTemplates leaves sets out of the signatures of a fingerprinted field, and keeps them in the
// index. They are given by scope; the scope of a document is the value of its text field named
// scope, and a document of another scope is signed with the set of "". If scope is "", all
// documents have the scope "". No sets leave nothing out, as at first.
//
// Writes that have begun are signed as before, and SetTemplates waits for them. It returns an error, and changes nothing, if a set was learned with other
// parameters than the field has, if the sets take more than 4 MB together, if they cannot be
// kept, or if ctx is done before the writes have ended.
func (x *Index) SetTemplates(ctx context.Context, field, scope string, sets map[string]*template.Set) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	own, err := templates.New(scope, maps.Clone(sets))
	if err != nil {
		return fmt.Errorf("neardup: field %q: %w", field, err)
	}
	encode := func() ([]byte, error) {
		data, err := x.keeper.Value(string(util.MappingInternalKey))
		if err != nil {
			return nil, err
		}
		m := mapping.NewIndexMapping()
		if err := json.Unmarshal(data, m); err != nil {
			return nil, fmt.Errorf("neardup: mapping: %w", err)
		}
		return own.Encode(), templates.Fits(m, field, own)
	}
	return x.keeper.Keep(ctx, templates.Key(field), encode, func() error {
		x.leaving.Put(field, own)
		return nil
	})
}

// Templates returns what SetTemplates has put in force for a field: none if nothing is left out.
func (x *Index) Templates(field string) (scope string, sets map[string]*template.Set) {
	own := x.leaving.All()[field]
	return own.Scope(), maps.Clone(own.All())
}
