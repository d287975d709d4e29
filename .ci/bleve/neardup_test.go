package test

import (
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	_ "github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// The index type "neardup_all" is "neardup" with every text field of every
// document fingerprinted besides, terms and all, into a field that nobody kept out
// of _all: what bleve's own tests expect must not change even so.
type all struct {
	*indextype.Index
	analyzer *neardup.Analyzer
}

func (x *all) Update(doc index.Document) error {
	b := index.NewBatch()
	b.Update(doc)
	return x.Batch(b)
}

func (x *all) Batch(batch *index.Batch) error {
	for _, doc := range batch.IndexOps {
		if d, ok := doc.(*document.Document); ok {
			x.fingerprint(d)
		}
	}
	return x.Index.Batch(batch)
}

func (x *all) fingerprint(d *document.Document) {
	for _, f := range d.Fields {
		if text, ok := f.(*document.TextField); ok {
			d.AddField(document.NewTextFieldCustom("all_text", nil, text.Value(), index.IndexField, x.analyzer))
		}
	}
}

func newAll(store string, config map[string]interface{}, queue *index.AnalysisQueue) (index.Index, error) {
	a, err := neardup.AnalyzerConstructor(map[string]interface{}{"terms": "all", "width": 1}, registry.NewCache())
	if err != nil {
		return nil, err
	}
	inner, err := indextype.New(store, config, queue)
	if err != nil {
		return nil, err
	}
	return &all{inner.(*indextype.Index), a.(*neardup.Analyzer)}, nil
}

func init() {
	if err := registry.RegisterIndexType("neardup_all", newAll); err != nil {
		panic(err)
	}
}
