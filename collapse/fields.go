package collapse

import (
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// checkSigned returns an error for fingerprinted fields that hits cannot be compared by.
func (o *Options) checkSigned() error {
	switch {
	case !slices.Contains([]string{"", "any", "all"}, o.Match):
		return fmt.Errorf(`collapse: match: wanted "any" or "all", got %q`, o.Match)
	case o.Match != "" && len(o.Fields) == 0:
		return fmt.Errorf("collapse: match %q needs fields, got none", o.Match)
	case len(o.Fields) > 0 && (o.Field != "" || o.Rule != signature.Rule{}):
		return errors.New("collapse: fields cannot be combined with field and rule, which are a short form for one")
	case len(o.Fields) > 1 && o.keysAlone():
		return errors.New("collapse: fields cannot be combined with by unless or is set: nothing is compared")
	}
	return parts.CheckFields(o.signed())
}

// agree asks an index whether it has signatures of all fields, and fills in their rules.
func (o *Options) agree(signed func(field string) error, rule func(field string, asked signature.Rule) (signature.Rule, error)) error {
	for i := range o.Fields {
		f := &o.Fields[i]
		if !o.AllowUnsigned && !o.keysAlone() {
			if err := paging.Unsigned(signed(f.Field)); err != nil {
				return err
			}
		}
		var err error
		if f.Rule, err = rule(f.Field, f.Rule); err != nil {
			return invalid(fmt.Errorf("collapse: %w", err))
		}
	}
	return nil
}

// signed returns the fingerprinted fields.
func (o *Options) signed() []parts.Field {
	all := make([]parts.Field, len(o.Fields))
	for i, f := range o.Fields {
		all[i] = parts.Field(f)
	}
	return all
}

// keysAlone reports whether hits are folded by a key, and signatures do not matter.
func (o *Options) keysAlone() bool { return o.By != nil && !o.By.Or }
