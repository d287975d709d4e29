package neardup

import (
	"slices"

	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Preset is how texts of one kind are signed and compared: what "preset" in the configuration of an
// analyzer sets. The other keys of the configuration change single parameters of it, and "rule"
// single members of its rule.
//
// A preset has no char filters, as only the application knows whether a field holds HTML:
// "char_filters": ["neardup_html"] leaves out what the markup calls a template, with any
// preset.
type Preset struct {
	// Name is the preset's name in a configuration.
	Name string

	// Params are the parameters of the signatures.
	Params signature.Params

	// Rule is the field's rule.
	Rule signature.Rule
}

// The names of the presets.
const (
	Pages    = "pages"    // pages and documents of a hundred words and more: the default
	Versions = "versions" // the same, where versions of one page are to fold: looser, with the same signatures
	Short    = "short"    // titles, names, messages, snippets: texts of 5 to 100 words; longer ones as strictly as pages
	Mail     = "mail"     // mails and posts
)

// Presets returns the presets, the default first. examples/docs/presets.md says what they were
// chosen by.
func Presets() []Preset {
	short, mail := signature.DefaultParams(), signature.DefaultParams()
	short.Width, short.Lanes = 2, 150
	mail.Width = 3
	return []Preset{
		{Pages, signature.DefaultParams(), signature.Rule{}},
		{Versions, signature.DefaultParams(), signature.Rule{Lanes: 80}},
		{Short, short, signature.Rule{Lanes: 92, LongLanes: 143}},
		{Mail, mail, signature.Rule{Lanes: 80}},
	}
}

// readPreset returns the preset that a configuration names.
func readPreset(r *component.Reader) Preset {
	all := Presets()
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	return all[slices.Index(names, component.Choice(r, "preset", Pages, names...))]
}

// readRule returns the rule that a configuration names, over the preset's.
func readRule(r *component.Reader, preset Preset, p signature.Params) signature.Rule {
	rule := r.Rule("rule")
	if rule.Lanes > p.Lanes {
		r.Failf("rule", "lanes: wanted 0 to %d, got %d", p.Lanes, rule.Lanes)
	}
	if rule.LongLanes > p.Lanes {
		r.Failf("rule", "long_lanes: wanted 0 to %d, got %d", p.Lanes, rule.LongLanes)
	}
	base, k := preset.Rule, preset.Params.Lanes
	// As large a share of other sketches.
	base.Lanes, base.LongLanes = (base.Lanes*p.Lanes+k-1)/k, (base.LongLanes*p.Lanes+k-1)/k
	return rule.Over(base)
}
