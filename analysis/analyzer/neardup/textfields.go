package neardup

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
)

// textField is a text field of a mapping. Its name is empty if it stands for all fields that a dynamic document
// mapping makes of text by its default analyzer.
type textField struct {
	name, analyzer string

	// off says that no document has the field, as it is below a document mapping, at the path below, that is not
	// enabled.
	off   bool
	below string
}

// textFields calls f for the text fields of m, in an order that does not change.
func textFields(m *mapping.IndexMappingImpl, f func(textField)) {
	own := textField{analyzer: m.DefaultAnalyzer}
	own.visit(m.DefaultMapping, nil, f)
	for _, name := range slices.Sorted(maps.Keys(m.TypeMapping)) {
		own.visit(m.TypeMapping[name], nil, f)
	}
}

// visit visits the fields of a document mapping at a path. own has the analyzer of fields that name none, and whether
// documents reach the mapping.
func (own textField) visit(dm *mapping.DocumentMapping, path []string, f func(textField)) {
	if dm == nil || own.off && !dm.Enabled { // one that is not enabled inside another is not looked at
		return
	}
	if !dm.Enabled {
		own.off, own.below = true, strings.Join(path, ".")
	}
	if dm.DefaultAnalyzer != "" {
		own.analyzer = dm.DefaultAnalyzer
	}
	if dm.Dynamic {
		f(own)
	}
	for _, field := range dm.Fields {
		if field.Type != "text" {
			continue
		}
		at, t := path, own
		if field.Name != "" && len(path) > 0 {
			at = append(path[:len(path)-1:len(path)-1], field.Name)
		}
		t.name, t.analyzer = strings.Join(at, "."), cmp.Or(field.Analyzer, own.analyzer)
		f(t)
	}
	for _, name := range slices.Sorted(maps.Keys(dm.Properties)) {
		own.visit(dm.Properties[name], append(path[:len(path):len(path)], name), f)
	}
}
