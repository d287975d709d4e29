package similar

import (
	"cmp"
	"fmt"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// sign signs a document with these values of a field, as an index of mapping m does.
func sign(m mapping.IndexMapping, field string, values []string) (*signature.Signature, error) {
	a, err := analyzer(m, field)
	if err != nil {
		return nil, err
	}
	all := make([][]byte, len(values))
	for i, v := range values {
		all[i] = []byte(v)
	}
	sig, _ := a.Sign(all...)
	return &sig, nil
}

// analyzer returns the analyzer of a fingerprinted field. bleve's own search by the
// field's name does not find one that a mapping gives by FieldMapping.Name, so the
// mapping is walked.
func analyzer(m mapping.IndexMapping, field string) (*neardup.Analyzer, error) {
	w := analyzers{field: field}
	if im, ok := m.(*mapping.IndexMappingImpl); ok {
		w.mapping = im
		for _, dm := range im.TypeMapping {
			w.visit(dm, "", "", im.DefaultAnalyzer)
		}
		w.visit(im.DefaultMapping, "", "", im.DefaultAnalyzer)
	}
	if w.found == nil && m != nil {
		w.found, _ = m.AnalyzerNamed(m.AnalyzerNameForPath(field)).(*neardup.Analyzer)
	}
	switch {
	case w.found == nil:
		return nil, fmt.Errorf("similar: field %q: wanted one whose analyzer is of type %q, got none", field, neardup.Name)
	case w.differ:
		return nil, fmt.Errorf("similar: field %q: wanted one way to sign it, got document mappings that differ in it; give a signature instead", field)
	}
	return w.found, nil
}

// analyzers are those that a mapping has for the field so named.
type analyzers struct {
	mapping *mapping.IndexMappingImpl
	field   string
	found   *neardup.Analyzer
	differ  bool // there is another, which makes other signatures
}

// visit looks at the fields of dm, which is found at path below parent.
func (w *analyzers) visit(dm *mapping.DocumentMapping, parent, path, byDefault string) {
	if dm == nil || !dm.Enabled {
		return
	}
	byDefault = cmp.Or(dm.DefaultAnalyzer, byDefault)
	for _, f := range dm.Fields {
		name := path
		if f.Name != "" {
			name = parent + f.Name
		}
		if name != w.field || f.Type != "text" {
			continue
		}
		a, ok := w.mapping.AnalyzerNamed(cmp.Or(f.Analyzer, byDefault)).(*neardup.Analyzer)
		if !ok {
			continue
		}
		if w.found != nil && w.found.Params() != a.Params() {
			w.differ = true
		}
		w.found = a
	}
	below := path
	if path != "" {
		below += "."
	}
	for property, sub := range dm.Properties {
		w.visit(sub, below, below+property, byDefault)
	}
}
