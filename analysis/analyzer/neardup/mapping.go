package neardup

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Of returns the analyzer of the fingerprinted field with that name, for documents of m.
// bleve's own AnalyzerNameForPath looks at the properties of documents, and does not know
// fields that have another name than their property. If several document mappings have the
// field, Of takes the default mapping, or else the first type by name. It returns an error
// that names the fingerprinted fields if there is none with that name, and an error if
// document mappings sign the field in ways whose signatures cannot match.
func Of(m mapping.IndexMapping, field string) (*Analyzer, error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("neardup: wanted a *mapping.IndexMappingImpl, got a %T", m)
	}
	var found, other *Analyzer
	var names []string
	visit(impl, func(name string, a *Analyzer) {
		switch {
		case name != field && name != "":
		case found == nil:
			found = a
		case found.Params() != a.Params():
			other = a
		}
		names = append(names, name)
	})
	if other != nil {
		return nil, fmt.Errorf("neardup: field %q: document mappings must not sign it in different ways", field)
	}
	if found == nil {
		slices.Sort(names)
		return nil, fmt.Errorf("neardup: wanted a fingerprinted field, one of %q, got %q", slices.Compact(names), field)
	}
	return found, nil
}

// Sign returns the signature that a document of m with these values has in the
// fingerprinted field with that name.
func Sign(m mapping.IndexMapping, field string, values ...string) (*signature.Signature, error) {
	a, err := Of(m, field)
	if err != nil {
		return nil, err
	}
	return a.SignText(values...), nil
}

// SignText returns the signature of a document with the given values.
func (a *Analyzer) SignText(values ...string) *signature.Signature {
	raw := make([][]byte, len(values))
	for i, v := range values {
		raw[i] = []byte(v)
	}
	sig, _ := a.Sign(raw...)
	return &sig
}

// Fingerprints reports whether an analyzer of type neardup can get any text of m.
func Fingerprints(m *mapping.IndexMappingImpl) (any bool) {
	visit(m, func(string, *Analyzer) { any = true })
	return any
}

// Changed returns the name of a fingerprinted field whose analyzer has another
// configuration in now than in before. changed is false if there is none. Both mappings
// must come from JSON, which has one type for numbers and one for lists.
func Changed(before, now *mapping.IndexMappingImpl) (field string, changed bool) {
	had := map[string][]*Analyzer{}
	visit(before, func(name string, a *Analyzer) { had[name] = append(had[name], a) })
	visit(now, func(name string, a *Analyzer) {
		same := func(b *Analyzer) bool { return reflect.DeepEqual(a.config, b.config) }
		if !slices.ContainsFunc(had[name], same) {
			field, changed = name, true
		}
	})
	return field, changed
}

// visit calls f for the fingerprinted fields of m, in an order that does not change. The
// name is empty if a default analyzer makes any text a fingerprinted field.
func visit(m *mapping.IndexMappingImpl, f func(name string, a *Analyzer)) {
	v := visitor{m, f}
	if a := v.analyzer(m.DefaultAnalyzer); a != nil {
		f("", a)
	}
	v.document(m.DefaultMapping, nil, m.DefaultAnalyzer)
	for _, name := range slices.Sorted(maps.Keys(m.TypeMapping)) {
		v.document(m.TypeMapping[name], nil, m.DefaultAnalyzer)
	}
}

type visitor struct {
	mapping *mapping.IndexMappingImpl
	visit   func(name string, a *Analyzer)
}

// analyzer returns the analyzer with that name if it is of type neardup.
func (v *visitor) analyzer(name string) *Analyzer {
	if name == "" {
		return nil
	}
	a, _ := v.mapping.AnalyzerNamed(name).(*Analyzer)
	return a
}

// document visits the fields of a document mapping at a path; standard is the analyzer of
// fields that name none.
func (v *visitor) document(dm *mapping.DocumentMapping, path []string, standard string) {
	if dm == nil || !dm.Enabled {
		return
	}
	if dm.DefaultAnalyzer != "" {
		standard = dm.DefaultAnalyzer
		if a := v.analyzer(standard); a != nil && dm.Dynamic {
			v.visit("", a)
		}
	}
	for _, f := range dm.Fields {
		name, own := f.Analyzer, path
		if name == "" {
			name = standard
		}
		if f.Name != "" && len(path) > 0 {
			own = append(path[:len(path)-1:len(path)-1], f.Name)
		}
		if a := v.analyzer(name); a != nil && f.Type == "text" {
			v.visit(strings.Join(own, "."), a)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dm.Properties)) {
		v.document(dm.Properties[name], append(path[:len(path):len(path)], name), standard)
	}
}
