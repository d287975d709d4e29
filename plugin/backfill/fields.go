package backfill

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// A mapping goes from properties to fields: a property may be the source of several, of
// other names than its own. Rebuilding goes back. A field that two properties are the
// source of leads to neither.

// fields are the fields of documents of one type.
type fields struct {
	paths map[string][]string // from the name of a stored field to its property, nil if there are several

	mapped   map[string]bool // all names
	unstored []string        // that nothing stored holds the values of
}

// storable are the types of fields that a document is given back with.
var storable = []string{"text", "number", "datetime", "boolean", "geopoint", "geoshape", "IP"}

func newFields(dm *mapping.DocumentMapping) *fields {
	f := &fields{paths: map[string][]string{}, mapped: map[string]bool{}}
	if dm == nil || !dm.Enabled {
		return f
	}
	visit(dm, nil, func(path []string, fms []*mapping.FieldMapping) {
		for _, fm := range fms {
			name := fieldName(path, fm)
			f.mapped[name] = true
			if !fm.Store {
				continue
			}
			if old, again := f.paths[name]; again && !slices.Equal(old, path) {
				f.paths[name] = nil
			} else {
				f.paths[name] = path
			}
		}
	})
	visit(dm, nil, func(path []string, fms []*mapping.FieldMapping) {
		for _, fm := range fms {
			held := slices.ContainsFunc(fms, func(other *mapping.FieldMapping) bool {
				return other.Type == fm.Type && other.Store && f.paths[fieldName(path, other)] != nil && slices.Contains(storable, other.Type)
			})
			if !held && (fm.Index || fm.Store || fm.DocValues) {
				f.unstored = append(f.unstored, fieldName(path, fm))
			}
		}
	})
	return f
}

// documents are the document mappings of m.
func documents(m *mapping.IndexMappingImpl) []*mapping.DocumentMapping {
	return append(slices.Collect(maps.Values(m.TypeMapping)), m.DefaultMapping)
}

// visit visits the properties of dm that have fields.
func visit(dm *mapping.DocumentMapping, path []string, f func(path []string, fms []*mapping.FieldMapping)) {
	for name, sub := range dm.Properties {
		if sub == nil || !sub.Enabled {
			continue
		}
		own := append(path[:len(path):len(path)], name)
		f(own, sub.Fields)
		visit(sub, own, f)
	}
}

// fieldName is the name that bleve gives to a field of a property.
func fieldName(path []string, fm *mapping.FieldMapping) string {
	if fm.Name != "" {
		path = append(path[:len(path)-1:len(path)-1], fm.Name)
	}
	return strings.Join(path, ".")
}

// path is the property of a stored field; false if there are several.
func (f *fields) path(name string) ([]string, bool) {
	path, mapped := f.paths[name]
	if !mapped {
		path = strings.Split(name, ".")
	}
	return path, path != nil
}

// own reports whether a field is one that the index type or bleve adds to documents.
func own(name string) bool {
	return name == "_id" || name == "_all" || gate.Reserved(name)
}

// whole returns an error if documents cannot be rebuilt from their stored fields. all has the fields
// of the index by name; those in dropped may be missing.
func whole(m *mapping.IndexMappingImpl, all map[string]*fields, dropped map[string]bool, source index.IndexReader) error {
	if m.CountNested() > 0 {
		return fmt.Errorf("backfill: wanted a mapping without nested documents, whose stored fields bleve does not give back, got %d of them: give Options.Source", m.CountNested())
	}
	if m.SynonymCount() > 0 {
		return fmt.Errorf("backfill: wanted a mapping without synonyms, which are not stored, got %d sources: give Options.Source, and add them to the target", m.SynonymCount())
	}
	there, err := source.Fields()
	if err != nil {
		return err
	}
	var missing []string
	for _, name := range there {
		mapped, held := false, true
		for _, f := range all {
			mapped = mapped || f.mapped[name]
			held = held && !slices.Contains(f.unstored, name)
		}
		if !own(name) && !dropped[name] && (!held || !mapped && !m.StoreDynamic) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return fmt.Errorf("backfill: wanted every field of the source to be stored, or another one of the same type and property, got %q: give Options.Source, or be Lossy", missing)
	}
	return nil
}

// mostListed is how many names an error lists.
const mostListed = 20

// signs returns an error if m, the mapping of the target, signs properties, none of which is one that documents
// are rebuilt with, or that the source's mapping names: a name is misspelled, and no document would be signed.
func (r *rebuilder) signs(m mapping.IndexMapping) error {
	target, ok := m.(*mapping.IndexMappingImpl)
	if !ok || target == nil {
		return nil
	}
	names, err := r.source.Fields()
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, name := range names {
		for _, f := range r.fields {
			if path, ok := f.path(name); ok && !own(name) {
				there[strings.Join(path, ".")] = true
			}
		}
	}
	for _, dm := range documents(r.mapping) {
		visit(dm, nil, func(path []string, _ []*mapping.FieldMapping) { there[strings.Join(path, ".")] = true })
	}
	makes := func(analyzer string) bool {
		_, ok := target.AnalyzerNamed(analyzer).(*neardup.Analyzer)
		return ok
	}
	found := makes(target.DefaultAnalyzer)
	signed := map[string]bool{}
	for _, dm := range documents(target) {
		visit(dm, nil, func(path []string, fms []*mapping.FieldMapping) {
			for _, fm := range fms {
				property := strings.Join(path, ".")
				if makes(cmp.Or(fm.Analyzer, target.AnalyzerNameForPath(property))) {
					signed[property] = true
					found = found || there[property]
				}
			}
		})
	}
	if found || len(signed) == 0 {
		return nil
	}
	has := slices.Sorted(maps.Keys(there))
	return fmt.Errorf("backfill: wanted the target to sign a property of the source, some of %q, got %q: none would be signed",
		has[:min(len(has), mostListed)], slices.Sorted(maps.Keys(signed)))
}
