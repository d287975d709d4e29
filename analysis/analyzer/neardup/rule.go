package neardup

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// RuleOf returns the rule by which documents of m are compared in a fingerprinted field: asked, with
// the members of the field's rule in place of those that it leaves at 0 or "". This is the one
// place where the two meet. known is false, and the rule is asked, if m cannot be read, being nil
// or no *mapping.IndexMappingImpl, or does not fingerprint the field.
//
// An error says that asked wants more lanes than the field's sketches have, or that document mappings give
// the field different rules, and asked does not settle in what they differ.
func RuleOf(m mapping.IndexMapping, field string, asked signature.Rule) (rule signature.Rule, known bool, err error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok || impl == nil {
		return asked, false, nil
	}
	all, err := kept(impl, field)
	if err != nil {
		return asked, false, nil
	}
	most := 0
	for _, a := range all {
		most = max(most, a.params.Lanes)
	}
	if asked.Lanes > most {
		return asked, true, fmt.Errorf("neardup: field %q: rule: lanes: wanted 0 to %d, as many as its sketches have, got %d", field, most, asked.Lanes)
	}
	rule = asked.Over(all[0].rule)
	for _, a := range all[1:] {
		if own := asked.Over(a.rule); own.Explicit(a.params.Lanes) != rule.Explicit(all[0].params.Lanes) {
			return asked, true, fmt.Errorf("neardup: field %q: document mappings must not give it different rules, got %+v and %+v: a rule that names what they differ in settles it", field, rule, own)
		}
	}
	return rule, true, nil
}
