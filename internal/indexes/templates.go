package indexes

import (
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
)

// TemplatesPrefix begins the keys, among the internal values of an index, of what it leaves out of signatures; the name of the
// field follows.
const TemplatesPrefix = "neardup/templates/"

// TemplatesIn reads what is left out of the signatures of a field, given how internal values are read, as by a snapshot.
func TemplatesIn(internal func(key []byte) ([]byte, error), field string) (*template.Sets, error) {
	value, err := internal([]byte(TemplatesPrefix + field))
	if err != nil {
		return nil, err
	}
	sets, err := template.ParseSets(value)
	if err != nil {
		return nil, fmt.Errorf("neardup: field %q: kept in the index: %w", field, err)
	}
	return sets, nil
}

// Templates returns what x, or the indexes that x is an alias of, leave out of signatures of a
// field, each of what differs once; nil is among them if an index leaves nothing out. An index in
// another process that cannot say it does not count. An index that does not answer does not count
// either, since searches report that; but if no other index says it, its error is returned. Sets that
// cannot be read are always an error.
func Templates(x bleve.Index, field string) (all []*template.Sets, err error) {
	var silent error
	for _, leaf := range Leaves(x) {
		value, err := leaf.GetInternal([]byte(TemplatesPrefix + field))
		if err != nil {
			if err != bleve.ErrorAliasEmpty && err != bleve.ErrorAliasMulti && silent == nil {
				silent = err
			}
			continue
		}
		sets, err := template.ParseSets(value)
		if err != nil {
			return nil, Named(leaf.Name(), fmt.Errorf("field %q: kept in the index: %w", field, err))
		}
		if !slices.ContainsFunc(all, sets.Equal) {
			all = append(all, sets)
		}
	}
	if len(all) == 0 {
		return nil, silent
	}
	return all, nil
}

// OneTemplates is Templates where a text must have one signature for all of x: an error if
// indexes leave out what differs.
func OneTemplates(x bleve.Index, field string) (*template.Sets, error) {
	all, err := Templates(x, field)
	switch {
	case err != nil || len(all) == 0:
		return nil, err
	case len(all) > 1:
		return nil, fmt.Errorf("index %q: field %q: wanted members that leave the same templates out of signatures, got %d that differ: sign the text for one of them (plugin.SignScoped), or use the same templates in all", x.Name(), field, len(all))
	}
	return all[0], nil
}

// Takes returns an error if m does not sign a field so that sets can be left out.
func Takes(m mapping.IndexMapping, field string, sets *template.Sets) error {
	a, err := neardup.Of(m, field)
	for _, scope := range slices.Sorted(maps.Keys(sets.All())) {
		if err == nil {
			if err = a.Takes(sets.Of(scope)); err != nil {
				err = fmt.Errorf("scope %q: %w", scope, err)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("neardup: templates of field %q: %w", field, err)
	}
	return nil
}

// Texts returns the texts of the fields of a document by their names, for Sets.For. Nested documents do not count.
func Texts(doc interface{ VisitFields(index.FieldVisitor) }) func(field string) []string {
	return func(field string) (texts []string) {
		doc.VisitFields(func(f index.Field) {
			if text, ok := f.(index.TextField); ok && f.Name() == field {
				texts = append(texts, text.Text())
			}
		})
		return texts
	}
}

// LeftOut returns what was left out of a document that has these values, texts of fields, and the signature sig: nil
// for nothing; false if sig is of other values.
func LeftOut(sets []*template.Sets, texts func(field string) []string, sig *signature.Signature, a *neardup.Analyzer, values ...[]byte) (left *template.Set, ok bool) {
	for _, left := range template.Left(sets, texts) {
		again, err := a.SignWith(neardup.Figures{}, left, values...)
		if err != nil || again.Signature.Params != sig.Params || again.Signature.Exact != sig.Exact {
			continue
		}
		if again.Left == 0 {
			left = nil
		}
		return left, true
	}
	return nil, false
}
