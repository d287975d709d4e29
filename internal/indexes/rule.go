package indexes

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Rule returns the rule by which documents of x are compared in a field: asked, with the members
// of the field's rule in place of those that it leaves at 0 or "". The caller then has all parts
// of x compare by this one rule, whatever their own is.
//
// The field's rule is that of the indexes in this process that x is an alias of. Where these say
// nothing it is that of the mapping of the alias, and else what indexes in other processes say that
// have a method FieldRule. Of an index that does not answer nothing is known. Where nobody knows, it
// is asked. The error is of indexes whose rules differ in what asked leaves open.
func Rule(ctx context.Context, x bleve.Index, field string, asked signature.Rule) (signature.Rule, error) {
	type own struct {
		rule signature.Rule
		of   string // the name of an index
	}
	var said []own
	known := Mapped(x)
	for i, k := range append(known, x) {
		if i == len(known) && said != nil {
			break
		}
		rule, ok, err := neardup.RuleOf(k.Mapping(), field, asked)
		if err != nil {
			return asked, Closed(x, Named(k.Name(), err))
		}
		if ok {
			said = append(said, own{rule, k.Name()})
		}
	}
	if said == nil {
		for _, leaf := range Leaves(x) {
			ruler, ok := leaf.(interface {
				FieldRule(ctx context.Context, field string) (signature.Rule, error)
			})
			if !ok {
				continue
			}
			if rule, err := ruler.FieldRule(ctx, field); err == nil {
				said = append(said, own{asked.Over(rule), leaf.Name()})
			}
		}
	}
	if said == nil {
		return asked, nil
	}
	lanes := signature.DefaultParams().Lanes // for rules that leave the number to the sketch
	first := said[0]
	for _, other := range said[1:] {
		if other.rule.Explicit(lanes) != first.rule.Explicit(lanes) {
			return asked, Closed(x, fmt.Errorf("field %q: wanted one rule of all indexes, got %+v of %q and %+v of %q: a rule in the request that names what they differ in settles it",
				field, first.rule, first.of, other.rule, other.of))
		}
	}
	return first.rule, nil
}
