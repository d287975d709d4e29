package neardup

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/char"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/mappings"
	"github.com/neardup/bleve-neardup/internal/weakmap"
)

// Of returns the analyzer of the fingerprinted field with that name, for documents of m.
// bleve's own AnalyzerNameForPath looks at the properties of documents, and does not know
// fields that have another name than their property. If several document mappings have the
// field, Of takes the default mapping, or else the first type by name. It returns an error
// that names the fingerprinted fields if there is none with that name, and an error if
// document mappings sign the field in ways whose signatures cannot match.
func Of(m mapping.IndexMapping, field string) (*Analyzer, error) { return one(m, field, lookup) }

// Kept is Of for searches of an index, whose mapping does not change: what it found is kept.
func Kept(m mapping.IndexMapping, field string) (*Analyzer, error) { return one(m, field, kept) }

// one returns the analyzer of the fingerprinted field that find finds.
func one(
	m mapping.IndexMapping, field string, find func(*mapping.IndexMappingImpl, string) ([]*Analyzer, bool, error),
) (*Analyzer, error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("neardup: wanted a *mapping.IndexMappingImpl, got a %T", m)
	}
	all, _, err := find(impl, field)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.params != all[0].params {
			return nil, fmt.Errorf("neardup: field %q: document mappings must not sign it in different ways", field)
		}
	}
	return all[0], nil
}

// lookup returns the different analyzers by which documents of m sign a field, one or more, in the order of visit.
// byName is false if a default analyzer alone signs it, as it signs any field. The error is that of a field that m does
// not fingerprint.
func lookup(m *mapping.IndexMappingImpl, field string) (all []*Analyzer, byName bool, err error) {
	var names []string
	visit(m, func(name string, a *Analyzer) {
		names = append(names, name)
		byName = byName || name == field
		if (name == field || name == "") && !slices.Contains(all, a) {
			all = append(all, a)
		}
	})
	if len(all) == 0 {
		return nil, false, unknown(names, field)
	}
	return all, byName, nil
}

// kept is lookup for searches. Each asks for its field, and a mapping might have thousands of fields: so what was
// found is kept for as long as there is the mapping. Nothing is kept of a name that was not found: it
// might be anything.
func kept(m *mapping.IndexMappingImpl, field string) (all []*Analyzer, byName bool, err error) {
	known, _, there := lookups.Get(m)
	if there {
		if all, ok := known.Load(field); ok {
			return all.([]*Analyzer), true, nil
		}
	}
	if all, byName, err = lookup(m, field); byName {
		if !there {
			known = new(sync.Map)
			lookups.Put(m, known) // in place of what another has put meanwhile
		}
		known.Store(field, all)
	}
	return all, byName, err
}

// lookups has what kept has found in mappings: by field, a []*Analyzer.
var lookups weakmap.Map[mapping.IndexMappingImpl, *sync.Map]

// Fingerprinted returns an error, as Of does, if m does not fingerprint the field so
// named. It returns nil if m cannot be read, because it is nil or no
// *mapping.IndexMappingImpl.
func Fingerprinted(m mapping.IndexMapping, field string) error {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok || impl == nil {
		return nil
	}
	_, _, err := kept(impl, field)
	return err
}

// FieldSeesHidden returns an error if an analyzer by which m fingerprints the field does not know which words HTML
// hides, or if m does not fingerprint it.
func FieldSeesHidden(m mapping.IndexMapping, field string) error {
	if _, err := Of(m, field); err != nil {
		return err
	}
	all, _, err := lookup(m.(*mapping.IndexMappingImpl), field)
	if slices.ContainsFunc(all, func(a *Analyzer) bool { return !a.chain.seesHidden() }) {
		err = fmt.Errorf("neardup: hidden: needs the char filter %q, or one of that type, in the analyzer of field %q, which has none", char.HTML, field)
	}
	return err
}

// unknown is the error of a field that is not among names, which are fingerprinted.
func unknown(names []string, field string) error {
	if len(names) == 0 {
		return fmt.Errorf("neardup: field %q: wanted a mapping that fingerprints it, got one without signatures: backfill makes one of it", field)
	}
	slices.Sort(names)
	return fmt.Errorf("neardup: wanted a fingerprinted field, one of %q, got %q", slices.Compact(names), field)
}

// Sign returns the signature that a document of m with these values has in the
// fingerprinted field with that name, without the shingles of t; nil leaves nothing out. It returns
// an error where such a document has none, if the field's tokenizer makes no token of the text, and
// the error of Analyzer.Takes. Like Kept it is for the mapping of an index.
func Sign(m mapping.IndexMapping, field string, t *template.Set, values ...string) (*signature.Signature, error) {
	a, err := Kept(m, field)
	if err != nil {
		return nil, err
	}
	raw := make([][]byte, len(values))
	for i, v := range values {
		raw[i] = []byte(v)
	}
	made, err := a.SignWith(Figures{}, t, raw...)
	if err != nil {
		return nil, fmt.Errorf("field %q: %w", field, err)
	}
	if made.Signature.Tokens == 0 && a.Untokenized(raw...) {
		return nil, fmt.Errorf("neardup: field %q: wanted a text that its tokenizer, %q, makes tokens of, got one that it makes none of", field, a.params.Tokens)
	}
	return &made.Signature, nil
}

// Fingerprints reports whether an analyzer of type neardup can get any text of m.
func Fingerprints(m *mapping.IndexMappingImpl) (any bool) {
	visit(m, func(string, *Analyzer) { any = true })
	return any
}

// Unreachable returns the name of a fingerprinted field of m that no document can have, as
// it is below a document mapping that is not enabled, and the path of that mapping; false if
// there is none. Whether documents of a type ever come is not known here.
func Unreachable(m *mapping.IndexMappingImpl) (field, below string, found bool) {
	if m == nil {
		return "", "", false
	}
	reached := map[string]bool{}
	visit(m, func(name string, _ *Analyzer) { reached[name] = true })
	mappings.Visit(m, func(f mappings.Field) {
		if f.Off && !found && f.Name != "" && !reached[f.Name] && f.IsText() && named(m, f.Analyzer) != nil {
			field, below, found = f.Name, f.Below, true
		}
	})
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
	if m == nil {
		return
	}
	mappings.Visit(m, func(t mappings.Field) {
		if a := named(m, t.Analyzer); a != nil && t.IsText() && !t.Off {
			f(t.Name, a)
		}
	})
}

// named returns the analyzer of m with that name if it is of type neardup, else nil.
func named(m *mapping.IndexMappingImpl, name string) *Analyzer {
	if name == "" {
		return nil
	}
	a, _ := m.AnalyzerNamed(name).(*Analyzer)
	return a
}

// RuleOf returns the rule by which documents of m are compared in a fingerprinted field: asked, with
// the members of the field's rule in place of those that it leaves at 0 or "". This is the one
// place where the two meet. known is false, and the rule is asked, if m cannot be read, being nil
// or no *mapping.IndexMappingImpl, or does not fingerprint the field.
//
// An error says that asked wants more lanes than the field's sketches have, or that document mappings give
// the field different rules, and asked does not settle in what they differ.
func RuleOf(m mapping.IndexMapping, field string, asked signature.Rule) (rule signature.Rule, known bool, err error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok || impl == nil {
		return asked, false, nil
	}
	all, _, err := kept(impl, field)
	if err != nil {
		return asked, false, nil
	}
	most := 0
	for _, a := range all {
		most = max(most, a.params.Lanes)
	}
	if lanes := max(asked.Lanes, asked.LongLanes); lanes > most {
		return asked, true, fmt.Errorf("neardup: field %q: rule: lanes: wanted 0 to %d, as many as its sketches have, got %d", field, most, lanes)
	}
	rule = asked.Over(all[0].rule)
	for _, a := range all[1:] {
		if own := asked.Over(a.rule); own.Explicit(a.params.Lanes) != rule.Explicit(all[0].params.Lanes) {
			return asked, true, fmt.Errorf("neardup: field %q: document mappings must not give it different rules, got %+v and %+v: a rule that names what they differ in settles it", field, rule, own)
		}
	}
	return rule, true, nil
}

// SignDocument returns the signature of a field of data, which is a document as bleve's
// Index takes it; field is the name of a fingerprinted field. If the document has no text
// there, the signature has no tokens. Code that compares a document with many indexes signs
// it once, on arrival.
//
// choose gets the document as m maps it, and returns the template whose shingles are left out of the signature.
// A nil template leaves nothing out, and so does a nil choose. The error is also that of Analyzer.Takes.
func SignDocument(m mapping.IndexMapping, field string, data any, choose func(index.Document) *template.Set) (*signature.Signature, error) {
	a, err := Of(m, field)
	if err != nil {
		return nil, err
	}
	doc := document.NewDocument("")
	if err := m.MapDocument(doc, data); err != nil {
		return nil, err
	}
	var values [][]byte
	var visit func(index.Document)
	visit = func(d index.Document) {
		d.VisitFields(func(f index.Field) {
			text, ok := f.(*document.TextField)
			if !ok || f.Name() != field {
				return
			}
			if own, ok := text.Analyzer().(*Analyzer); ok {
				a, values = own, append(values, f.Value())
			}
		})
		if n, ok := d.(index.NestedDocument); ok {
			n.VisitNestedDocuments(visit)
		}
	}
	visit(doc)
	var left *template.Set
	if choose != nil {
		left = choose(doc)
	}
	made, err := a.SignWith(Figures{}, left, values...)
	if err != nil {
		return nil, err
	}
	return &made.Signature, nil
}
