package backfill

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/mappings"
	"github.com/neardup/bleve-neardup/internal/stored"
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
var storable = []string{"text", "number", "datetime", "boolean", "IP"}

// newFields returns the fields of the documents of each type, "" for the default mapping.
func newFields(m *mapping.IndexMappingImpl) map[string]*fields {
	roots := map[string]*mapping.DocumentMapping{"": m.DefaultMapping}
	maps.Copy(roots, m.TypeMapping)
	all, byRoot := map[string]*fields{}, map[*mapping.DocumentMapping]*fields{}
	for name, root := range roots {
		if byRoot[root] == nil {
			byRoot[root] = &fields{paths: map[string][]string{}, mapped: map[string]bool{}}
		}
		all[name] = byRoot[root]
	}
	properties(m, func(field mappings.Field) {
		f := byRoot[field.Root]
		f.mapped[field.Name] = true
		if !field.Store {
			return
		}
		if old, again := f.paths[field.Name]; again && !slices.Equal(old, field.Path) {
			f.paths[field.Name] = nil
		} else {
			f.paths[field.Name] = field.Path
		}
	})
	properties(m, func(field mappings.Field) {
		f := byRoot[field.Root]
		held := slices.ContainsFunc(field.Property.Fields, func(other *mapping.FieldMapping) bool {
			return other.Type == field.Type && other.Store && f.paths[mappings.Name(field.Path, other)] != nil && slices.Contains(storable, other.Type)
		})
		if !held && (field.Index || field.Store || field.DocValues) {
			f.unstored = append(f.unstored, field.Name)
		}
	})
	return all
}

// properties visits the fields that m makes of the properties of documents.
func properties(m *mapping.IndexMappingImpl, f func(mappings.Field)) {
	mappings.Visit(m, func(field mappings.Field) {
		if field.FieldMapping != nil && len(field.Path) > 0 && !field.Off {
			f(field)
		}
	})
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
	return name == "_id" || name == "_all" || stored.Reserved(name)
}

// whole returns an error if documents cannot be rebuilt from their stored fields. all has the fields
// of the index by type. What left, the fields of a plain index if there is one, does not have may be missing.
func whole(m *mapping.IndexMappingImpl, all, left map[string]*fields, source index.IndexReader) error {
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
		mapped, held, goes := false, true, left != nil
		for _, f := range all {
			mapped = mapped || f.mapped[name]
			held = held && !slices.Contains(f.unstored, name)
		}
		for _, f := range left {
			goes = goes && !f.mapped[name]
		}
		if !own(name) && !(mapped && goes) && (!held || !mapped && !m.StoreDynamic) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return fmt.Errorf("backfill: wanted every field of the source to be stored, or another one of the same type and property, and none of points or shapes, got %q: give Options.Source, or be Lossy", missing)
	}
	return nil
}

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
	properties(r.mapping, func(f mappings.Field) { there[strings.Join(f.Path, ".")] = true })
	found, signed := false, map[string]bool{}
	mappings.Visit(target, func(f mappings.Field) {
		if _, ok := target.AnalyzerNamed(f.Analyzer).(*neardup.Analyzer); !ok || f.Off || !f.IsText() {
			return
		}
		if f.FieldMapping == nil {
			found = true
			return
		}
		property := strings.Join(f.Path, ".")
		signed[property] = true
		found = found || there[property]
	})
	if found || len(signed) == 0 {
		return nil
	}
	has := slices.Sorted(maps.Keys(there))
	return fmt.Errorf("backfill: wanted the target to sign a property of the source, some of %q, got %q: none would be signed",
		has[:min(len(has), 20)], slices.Sorted(maps.Keys(signed)))
}
