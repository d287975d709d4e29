package neardup

import (
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// SignDocument returns the signature of a field of data, which is a document as bleve's
// Index takes it; field is the name of a fingerprinted field. If the document has no text
// there, the signature has no tokens. Code that compares a document with many indexes signs
// it once, on arrival.
func SignDocument(m mapping.IndexMapping, field string, data any) (*signature.Signature, error) {
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
	sig, _ := a.Sign(values...)
	return &sig, nil
}
