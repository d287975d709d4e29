// Package mappings goes through the fields of bleve's index mappings.
package mappings

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
)

// Field is a field of a mapping. It has no FieldMapping, and no name, if it stands for all fields that a dynamic
// document mapping makes.
type Field struct {
	*mapping.FieldMapping
	Name     string
	Analyzer string // of text: its own, or that of the document mappings around it

	Root     *mapping.DocumentMapping // of one kind of documents
	Property *mapping.DocumentMapping
	Path     []string // of the property

	// Off says that no document has the field, as it is below a document mapping, at the path Below, that is not
	// enabled.
	Off   bool
	Below string
}

// IsText reports whether the field, or some that it stands for, is made of text.
func (f Field) IsText() bool { return f.FieldMapping == nil || f.Type == "text" }

// Visit calls f for the fields of m, in an order that does not change.
func Visit(m *mapping.IndexMappingImpl, f func(Field)) {
	roots := []*mapping.DocumentMapping{m.DefaultMapping}
	for _, name := range slices.Sorted(maps.Keys(m.TypeMapping)) {
		roots = append(roots, m.TypeMapping[name])
	}
	for _, root := range roots {
		Field{Analyzer: m.DefaultAnalyzer, Root: root, Property: root}.visit(f)
	}
}

// visit visits the fields of a property. own has the analyzer of fields that name none, and whether documents reach the property.
func (own Field) visit(f func(Field)) {
	dm := own.Property
	if dm == nil || own.Off && !dm.Enabled { // one that is not enabled inside another is not looked at
		return
	}
	if !dm.Enabled {
		own.Off, own.Below = true, strings.Join(own.Path, ".")
	}
	own.Analyzer = cmp.Or(dm.DefaultAnalyzer, own.Analyzer)
	if dm.Dynamic {
		f(own)
	}
	for _, field := range dm.Fields {
		t := own
		t.FieldMapping, t.Name, t.Analyzer = field, Name(own.Path, field), cmp.Or(field.Analyzer, own.Analyzer)
		f(t)
	}
	for _, name := range slices.Sorted(maps.Keys(dm.Properties)) {
		sub := own
		sub.Property, sub.Path = dm.Properties[name], append(slices.Clip(own.Path), name)
		sub.visit(f)
	}
}

// Name is the name that bleve gives to a field of the property at path; that of a whole document has none.
func Name(path []string, field *mapping.FieldMapping) string {
	if field.Name != "" && len(path) > 0 {
		path = append(slices.Clip(path[:len(path)-1]), field.Name)
	}
	return strings.Join(path, ".")
}

// Copy returns a copy of m as bleve reads it from an index: its analyzers are made anew, and their configurations are
// as in JSON.
func Copy(m *mapping.IndexMappingImpl) (*mapping.IndexMappingImpl, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	own := mapping.NewIndexMapping()
	if err := json.Unmarshal(data, own); err != nil {
		return nil, err
	}
	return own, own.Validate()
}
