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
// An error says that document mappings give the field different rules, and asked does not settle
// in what they differ.
func RuleOf(m mapping.IndexMapping, field string, asked signature.Rule) (rule signature.Rule, known bool, err error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok || impl == nil {
		return asked, false, nil
	}
	rules := rulesOf(impl, field)
	for i, own := range rules {
		resolved := asked.Over(own.rule)
		if i > 0 && resolved.Explicit(own.lanes) != rule.Explicit(rules[0].lanes) {
			return asked, true, fmt.Errorf("neardup: field %q: document mappings must not give it different rules, got %+v and %+v: a rule that names what they differ in settles it", field, rule, resolved)
		}
		if i == 0 {
			rule = resolved
		}
	}
	if len(rules) == 0 {
		return asked, false, nil
	}
	return rule, true, nil
}

// fieldRule is the rule of an analyzer, and how many lanes its sketches have.
type fieldRule struct {
	rule  signature.Rule
	lanes int
}

// rulesOf returns the different rules of a field. It keeps them for as long as there is the mapping,
// as Fingerprinted keeps the fields.
func rulesOf(m *mapping.IndexMappingImpl, field string) (rules []fieldRule) {
	if known := foundIn(m); known != nil {
		if all, ok := known.rules.Load(field); ok {
			return all.([]fieldRule)
		}
	}
	seen := map[fieldRule]bool{}
	visit(m, func(name string, a *Analyzer) {
		own := fieldRule{a.rule, a.params.Lanes}
		if (name == field || name == "") && !seen[own] {
			seen[own] = true
			rules = append(rules, own)
		}
	})
	if len(rules) > 0 && Fingerprinted(m, field) == nil {
		if known := foundIn(m); known != nil {
			known.rules.Store(field, rules)
		}
	}
	return rules
}
