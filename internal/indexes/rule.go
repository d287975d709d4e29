package indexes

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// FieldRuler is an index in another process that says what the rule of a fingerprinted field is there.
type FieldRuler interface {
	FieldRule(ctx context.Context, field string) (signature.Rule, error)
}

// Rule returns the rule by which documents of x are compared in a field: asked, with the members
// of the field's rule in place of those that it leaves at 0 or "". The caller then has all parts
// of x compare by this one rule, whatever their own is.
//
// The field's rule is that of the indexes in this process that x is an alias of. Where these say
// nothing it is that of the mapping of the alias, and else what indexes in other processes say that
// are a FieldRuler. Of an index that does not answer nothing is known. Where nobody knows, it
// is asked. The error is of indexes whose rules differ in what asked leaves open.
func Rule(ctx context.Context, x bleve.Index, field string, asked signature.Rule) (signature.Rule, error) {
	var a agreement
	for _, known := range mapped(x) {
		if err := a.read(known, field, asked); err != nil {
			return asked, Closed(x, err)
		}
	}
	if !a.said {
		if err := a.read(x, field, asked); err != nil {
			return asked, Closed(x, err)
		}
	}
	if a.said {
		return a.rule, nil
	}
	for _, leaf := range Leaves(x) {
		ruler, ok := leaf.(FieldRuler)
		if !ok {
			continue
		}
		if own, err := ruler.FieldRule(ctx, field); err == nil {
			if err := a.add(leaf.Name(), field, asked.Over(own)); err != nil {
				return asked, err
			}
		}
	}
	if !a.said {
		return asked, nil
	}
	return a.rule, nil
}

// agreement is the rule that indexes agree on, so far.
type agreement struct {
	rule signature.Rule
	name string // of the index that said it
	said bool
}

// read adds what the mapping of x says.
func (a *agreement) read(x bleve.Index, field string, asked signature.Rule) error {
	rule, known, err := neardup.RuleOf(x.Mapping(), field, asked)
	if err != nil || !known {
		return Named(x.Name(), err)
	}
	return a.add(x.Name(), field, rule)
}

// lanes is a number of lanes for which rules are compared that leave the number to the sketch.
var lanes = signature.DefaultParams().Lanes

func (a *agreement) add(name, field string, rule signature.Rule) error {
	switch {
	case !a.said:
		a.name, a.rule, a.said = name, rule, true
	case a.rule.Explicit(lanes) != rule.Explicit(lanes):
		return fmt.Errorf("field %q: wanted one rule of all indexes, got %+v of %q and %+v of %q: a rule in the request that names what they differ in settles it",
			field, a.rule, a.name, rule, name)
	}
	return nil
}
