package collapse

import (
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// checkSigned returns an error for fingerprinted fields that hits cannot be compared by.
func (o Options) checkSigned() error {
	switch {
	case o.Match != "" && o.Match != "any" && o.Match != "all":
		return fmt.Errorf(`collapse: match: wanted "any" or "all", got %q`, o.Match)
	case o.Match != "" && len(o.Fields) == 0:
		return fmt.Errorf("collapse: match %q needs fields, got none", o.Match)
	case len(o.Fields) > 0 && (o.Field != "" || o.Rule != signature.Rule{}):
		return errors.New("collapse: fields cannot be combined with field and rule, which are a short form for one")
	case len(o.Fields) > 0 && o.By != nil && !o.By.Or:
		return errors.New("collapse: fields cannot be combined with by unless or is set: nothing is compared")
	}
	all := make([]parts.Field, len(o.Fields))
	for i, f := range o.Fields {
		all[i] = parts.Field(f)
	}
	return parts.CheckFields(all)
}

// settle makes Fields the fields to compare, however o names them, and Field and Rule the first.
func (o *Options) settle() {
	if o.Fields = slices.Clone(o.Fields); len(o.Fields) == 0 {
		o.Fields = []FieldRule{{o.Field, o.Rule}}
	}
	o.Field, o.Rule = o.Fields[0].Field, o.Fields[0].Rule
}

// rules asks an index for the rules of all fields.
func (o *Options) rules(of func(field string, asked signature.Rule) (signature.Rule, error)) (err error) {
	for i := range o.Fields {
		f := &o.Fields[i]
		if f.Rule, err = of(f.Field, f.Rule); err != nil {
			return fmt.Errorf("collapse: %w", err)
		}
	}
	o.Rule = o.Fields[0].Rule
	return nil
}

// more returns the fields after the first.
func (o Options) more() (all []grouping.Field) {
	for _, f := range o.Fields[1:] {
		all = append(all, grouping.Field{Field: parts.Field(f)})
	}
	return all
}

// signs reports whether an index must have signatures.
func (o Options) signs() bool { return !o.AllowUnsigned && (o.By == nil || o.By.Or) }
