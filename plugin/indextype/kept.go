package indextype

import (
	"context"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/keeping"
)

// PolicyKey is the name of a policy in the settings that bleve.NewUsing keeps with an index and
// that bleve.OpenUsing takes: an admission.Policy, or the same as decoded JSON.
//
// SetPolicy overrides the policy in the settings, also after the index is opened again with
// the same settings. If it is opened with another policy in the settings, that policy
// overrides the kept one for as long as the index is open.
const PolicyKey = keeping.SettingsKey

// Policy returns the policy in force, or nil. Callers must not change it.
func (x *Index) Policy() *admission.Policy { return x.gate.Policy() }

// SetPolicy is what plugin.SetPolicy calls, whose comment says when it returns an error.
func (x *Index) SetPolicy(ctx context.Context, p *admission.Policy) error {
	return x.keeper.SetPolicy(ctx, p)
}

// SetTemplates leaves sets out of the signatures of a fingerprinted field, and keeps them in the
// index. If they are nil, nothing is left out, as at first.
//
// Writes that have begun are signed as before, and SetTemplates waits for them. It returns an
// error, and changes nothing, if a set was learned with other parameters than the field has,
// if the sets cannot be kept, or if ctx is done before the writes have ended.
func (x *Index) SetTemplates(ctx context.Context, field string, sets *template.Sets) error {
	return x.keeper.SetTemplates(ctx, field, sets)
}

// Templates returns what SetTemplates has put in force for a field, nil if nothing is left out.
func (x *Index) Templates(field string) *template.Sets { return x.keeper.Templates()[field] }

// Marks returns the marks in the order of their names, including expired ones.
func (x *Index) Marks() ([]admission.Mark, error) {
	if err := x.Writable(); err == ErrClosed { // with read_only there are marks
		return nil, err
	}
	return x.gate.Marks()
}

// MarkOf returns the name of a mark of spam that has a passage with this signature, or most of whose text stands in the passage; "" if
// there is none. Expired marks count, too.
func (x *Index) MarkOf(passage *signature.Signature) (string, error) { return x.gate.MarkOf(passage) }
