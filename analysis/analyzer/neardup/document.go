package neardup

import (
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
)

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
