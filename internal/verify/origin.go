package verify

import (
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
)

// Origin is where documents of one kind may have the text of a fingerprinted field
// stored: under its own name, or under the name of another field of the same property.
type Origin struct {
	Analyzer *neardup.Analyzer
	Fields   []string
}

// origins returns what m says of a field, for each kind of document.
func origins(m mapping.IndexMapping, field string) (all []Origin, err error) {
	if known, ok := m.(*mapping.IndexMappingImpl); ok && known != nil {
		for _, dm := range append([]*mapping.DocumentMapping{known.DefaultMapping}, sorted(known.TypeMapping)...) {
			f := finder{m: known, field: field}
			if f.walk(dm, nil); f.Analyzer != nil {
				all = append(all, f.Origin)
			}
		}
		if a, ok := known.AnalyzerNamed(known.AnalyzerNameForPath(field)).(*neardup.Analyzer); ok {
			all = append(all, Origin{a, []string{field}}) // a dynamic field
		}
	}
	if len(all) == 0 {
		a, err := neardup.AnalyzerConstructor(nil, registry.NewCache())
		if err != nil {
			return nil, err
		}
		all = []Origin{{a.(*neardup.Analyzer), []string{field}}}
	}
	return all, nil
}

// sorted returns the mappings in the order of their names.
func sorted(named map[string]*mapping.DocumentMapping) (all []*mapping.DocumentMapping) {
	for _, name := range slices.Sorted(maps.Keys(named)) {
		all = append(all, named[name])
	}
	return all
}

// finder looks for a field in one document mapping.
type finder struct {
	Origin
	m     *mapping.IndexMappingImpl
	field string
}

// walk adds what dm, the mapping of the property at path, says of the field.
func (f *finder) walk(dm *mapping.DocumentMapping, path []string) {
	if dm == nil || !dm.Enabled {
		return
	}
	for _, field := range dm.Fields {
		if nameOf(field, path) != f.field {
			continue
		}
		name := field.Analyzer
		if name == "" {
			name = f.m.AnalyzerNameForPath(strings.Join(path, "."))
		}
		a, ok := f.m.AnalyzerNamed(name).(*neardup.Analyzer)
		if !ok {
			continue
		}
		if f.Analyzer == nil { // the first signs for all
			f.Analyzer = a
		}
		if in := storedIn(dm, field, path); !slices.Contains(f.Fields, in) {
			f.Fields = append(f.Fields, in)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dm.Properties)) {
		f.walk(dm.Properties[name], append(slices.Clip(path), name))
	}
}

// storedIn names the field that has the text of a field of the property dm: itself,
// unless another one is stored instead.
func storedIn(dm *mapping.DocumentMapping, field *mapping.FieldMapping, path []string) string {
	if !field.Store {
		for _, other := range dm.Fields {
			if other.Store && other.Type == "text" {
				return nameOf(other, path)
			}
		}
	}
	return nameOf(field, path)
}

// nameOf is the name of a field of the property at path.
func nameOf(field *mapping.FieldMapping, path []string) string {
	if field.Name != "" {
		path = append(slices.Clip(path[:max(0, len(path)-1)]), field.Name)
	}
	return strings.Join(path, ".")
}
