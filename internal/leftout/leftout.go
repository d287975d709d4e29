// Package leftout says what an index leaves out of signatures: the templates that it keeps, and what they left out of a
// document. It does not import bleve's root package, whose own tests are run with the index type.
package leftout

import (
	"fmt"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
)

// Prefix begins the keys, among the internal values of an index, of what it leaves out of signatures; the name of the
// field follows.
const Prefix = "neardup/templates/"

// In reads what is left out of the signatures of a field, given how internal values are read, as by a snapshot.
func In(internal func(key []byte) ([]byte, error), field string) (*template.Sets, error) {
	value, err := internal([]byte(Prefix + field))
	if err != nil {
		return nil, err
	}
	sets, err := template.ParseSets(value)
	if err != nil {
		return nil, fmt.Errorf("neardup: field %q: kept in the index: %w", field, err)
	}
	return sets, nil
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

// Of returns what was left out of a document that has these values, texts of fields, and the signature sig: nil
// for nothing; and the shingles that remain. It returns false if sig is of other values.
func Of(sets []*template.Sets, texts func(field string) []string, sig *signature.Signature, a *neardup.Analyzer,
	values ...[]byte,
) (left *template.Set, shingles []uint64, ok bool) {
	for _, left := range template.Left(sets, texts) {
		again, err := a.SignWith(neardup.Figures{Shingles: true}, left, values...)
		if err != nil || again.Signature.Params != sig.Params || again.Signature.Exact != sig.Exact {
			continue
		}
		if again.Left == 0 {
			left = nil
		}
		return left, again.Shingles, true
	}
	return nil, nil, false
}
