package neardup

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
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
		return nil, unknown(names, field)
	}
	return found, nil
}

// unknown is the error of a field that is none of names, those that are fingerprinted.
func unknown(names []string, field string) error {
	if len(names) == 0 {
		return fmt.Errorf("neardup: field %q: wanted a mapping that fingerprints it, got one without signatures: backfill makes one of it", field)
	}
	slices.Sort(names)
	return fmt.Errorf("neardup: wanted a fingerprinted field, one of %q, got %q", slices.Compact(names), field)
}

// Sign returns the signature that a document of m with these values has in the
// fingerprinted field with that name. It returns an error where such a document has none: if
// the field's tokenizer makes no token of the text.
func Sign(m mapping.IndexMapping, field string, values ...string) (*signature.Signature, error) {
	return SignWithout(m, field, nil, values...)
}

// SignWithout is Sign without the shingles of t; nil leaves nothing out. The error is also that of
// Analyzer.Takes.
func SignWithout(m mapping.IndexMapping, field string, t *template.Set, values ...string) (*signature.Signature, error) {
	a, err := Of(m, field)
	if err != nil {
		return nil, err
	}
	raw := bytesOf(values)
	sig, _, _, err := a.SignWithout(t, raw...)
	if err != nil {
		return nil, fmt.Errorf("field %q: %w", field, err)
	}
	if sig.Tokens == 0 && a.Untokenized(raw...) {
		return nil, fmt.Errorf("neardup: field %q: wanted a text that its tokenizer, %q, makes tokens of, got one that it makes none of", field, a.params.Tokens)
	}
	return &sig, nil
}

func bytesOf(values []string) [][]byte {
	raw := make([][]byte, len(values))
	for i, v := range values {
		raw[i] = []byte(v)
	}
	return raw
}

// SignText returns the signature of a document with the given values.
func (a *Analyzer) SignText(values ...string) *signature.Signature {
	sig, _ := a.Sign(bytesOf(values)...)
	return &sig
}

// Fingerprints reports whether an analyzer of type neardup can get any text of m.
func Fingerprints(m *mapping.IndexMappingImpl) (any bool) {
	visit(m, func(string, *Analyzer) { any = true })
	return any
}

// Unreachable returns the name of a fingerprinted field of m that no document can have, as
// it is below a document mapping that is not enabled, and the path of that; false if there
// is none. A document mapping for a type that never comes is not known to be one.
func Unreachable(m *mapping.IndexMappingImpl) (field, below string, found bool) {
	if m == nil {
		return "", "", false
	}
	reached := map[string]bool{}
	visit(m, func(name string, _ *Analyzer) { reached[name] = true })
	v := visitor{mapping: m, visit: func(string, *Analyzer) {}}
	v.disabled = func(name, path string) {
		if !found && !reached[name] {
			field, below, found = name, path, true
		}
	}
	v.all()
	return field, below, found
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

// visit calls f for the fingerprinted fields of m that documents can reach, in an order that
// does not change. The name is empty if a default analyzer makes any text a fingerprinted
// field.
func visit(m *mapping.IndexMappingImpl, f func(name string, a *Analyzer)) {
	if m != nil {
		v := visitor{mapping: m, visit: f}
		v.all()
	}
}

type visitor struct {
	mapping  *mapping.IndexMappingImpl
	visit    func(name string, a *Analyzer)
	disabled func(name, path string) // of fields below a mapping at path that is not enabled; or nil
}

func (v *visitor) all() {
	v.document(v.mapping.DefaultMapping, nil, v.mapping.DefaultAnalyzer)
	for _, name := range slices.Sorted(maps.Keys(v.mapping.TypeMapping)) {
		v.document(v.mapping.TypeMapping[name], nil, v.mapping.DefaultAnalyzer)
	}
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
	switch {
	case dm == nil:
		return
	case !dm.Enabled && v.disabled == nil:
		return
	case !dm.Enabled:
		at, report := strings.Join(path, "."), v.disabled
		below := visitor{mapping: v.mapping, visit: func(name string, _ *Analyzer) {
			if name != "" {
				report(name, at)
			}
		}}
		enabled := *dm
		enabled.Enabled = true
		below.document(&enabled, path, standard)
		return
	}
	if dm.DefaultAnalyzer != "" {
		standard = dm.DefaultAnalyzer
	}
	if dm.Dynamic {
		if a := v.analyzer(standard); a != nil {
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
		if f.Type != "text" {
			continue
		}
		if a := v.analyzer(name); a != nil {
			v.visit(strings.Join(own, "."), a)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dm.Properties)) {
		v.document(dm.Properties[name], append(path[:len(path):len(path)], name), standard)
	}
}
