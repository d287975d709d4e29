// Package textfields walks the text fields of a bleve mapping with the names of their analyzers.
// [Each] visits the fields that documents can have, [Disabled] the others.
package textfields

import (
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
)

// Each calls f for the text fields of m that documents can reach, in an order that does not change. The name of
// the field is empty for all fields that a dynamic document mapping makes of text by its default analyzer.
func Each(m *mapping.IndexMappingImpl, f func(field, analyzer string)) {
	walk(m, visitor{enabled: f, disabled: func(string, string, string) {}})
}

// Disabled calls f for the text fields that no document has, as they are below a document mapping at the path
// below that is not enabled.
func Disabled(m *mapping.IndexMappingImpl, f func(field, analyzer, below string)) {
	walk(m, visitor{enabled: func(string, string) {}, disabled: f})
}

func walk(m *mapping.IndexMappingImpl, v visitor) {
	v.document(m.DefaultMapping, nil, m.DefaultAnalyzer)
	for _, name := range slices.Sorted(maps.Keys(m.TypeMapping)) {
		v.document(m.TypeMapping[name], nil, m.DefaultAnalyzer)
	}
}

type visitor struct {
	enabled  func(field, analyzer string)
	disabled func(field, analyzer, below string)
}

// document visits the fields of a document mapping at a path; standard is the name of the analyzer
// of fields that name none.
func (v visitor) document(dm *mapping.DocumentMapping, path []string, standard string) {
	if dm == nil {
		return
	}
	if !dm.Enabled {
		at, disabled := strings.Join(path, "."), v.disabled
		v.enabled = func(field, analyzer string) { disabled(field, analyzer, at) }
		v.disabled = func(string, string, string) {} // one that is not enabled inside this one is not looked at
	}
	if dm.DefaultAnalyzer != "" {
		standard = dm.DefaultAnalyzer
	}
	if dm.Dynamic {
		v.enabled("", standard)
	}
	for _, f := range dm.Fields {
		if f.Type != "text" {
			continue
		}
		own := path
		if f.Name != "" && len(path) > 0 {
			own = append(path[:len(path)-1:len(path)-1], f.Name)
		}
		analyzer := f.Analyzer
		if analyzer == "" {
			analyzer = standard
		}
		v.enabled(strings.Join(own, "."), analyzer)
	}
	for _, name := range slices.Sorted(maps.Keys(dm.Properties)) {
		v.document(dm.Properties[name], append(path[:len(path):len(path)], name), standard)
	}
}
