package verify

import (
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/mappings"
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
		var root *mapping.DocumentMapping // of the last of all
		mappings.Visit(known, func(f mappings.Field) {
			if f.Name != field || f.FieldMapping == nil || f.Off {
				return
			}
			a, ok := known.AnalyzerNamed(f.Analyzer).(*neardup.Analyzer)
			if !ok {
				return
			}
			if f.Root != root {
				all, root = append(all, Origin{Analyzer: a}), f.Root // the first signs for all
			}
			o := &all[len(all)-1]
			if in := storedIn(f); !slices.Contains(o.Fields, in) {
				o.Fields = append(o.Fields, in)
			}
		})
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

// storedIn names the field that has the text of f: itself, unless another one of its property is stored
// instead.
func storedIn(f mappings.Field) string {
	if !f.Store {
		for _, other := range f.Property.Fields {
			if other.Store && other.Type == "text" {
				return mappings.Name(f.Path, other)
			}
		}
	}
	return f.Name
}
