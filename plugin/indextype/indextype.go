// Package indextype is the bleve index type "neardup": scorch that keeps a
// signature of every document.
//
// Import it for its side effect, or import package plugin, which does. An index
// made with
//
//	bleve.NewUsing(path, mapping, indextype.Name, "boltdb", nil)
//
// stores, for each fingerprinted field F of the mapping (a text field whose
// analyzer is of type neardup), two more fields of the document:
//
//	~F.sketch    the signature in its text form, which holds the sketch
//	~F.simhash   the simhash, as 16 hexadecimal digits
//
// bleve remembers the index type, so that bleve.Open brings it back; a program
// that lacks the import gets bleve's "unknown index type" and cannot write
// documents without a signature. Everything else of the index, its files
// included, is scorch's.
//
// # How a document gets its signature
//
// Every write reaches [Index.Batch]: bleve.Index.Index, Batch, and an alias of
// one index alike. There a document with fingerprinted text is replaced by a copy
// whose fingerprinted fields make the signature when scorch analyses them, in its
// parallel workers, and whose two stored fields hand it over when scorch builds
// the segment. The caller's document is not touched, so a batch may be sent again.
//
// The signature's terms, if the analyzer emits any, stay out of _all and of its
// length: no score changes.
//
// The names of the stored fields begin with "~" so that they sort behind the
// document's own: scorch compresses the stored values of a document as one block
// in the order of their names, and random bytes in front of a text were measured
// to cost 50 bytes a document more than behind it.
package indextype

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/column"
)

// Name is the name of the index type.
const Name = "neardup"

// Index is the index: scorch, but for what is written to it.
type Index struct {
	*scorch.Scorch
	counts  counts
	columns *column.Store
}

// New is the constructor that bleve calls; config is scorch's.
func New(storeName string, config map[string]interface{}, queue *index.AnalysisQueue) (index.Index, error) {
	inner, err := scorch.NewScorch(storeName, config, queue)
	if err != nil {
		return nil, err
	}
	return &Index{Scorch: inner.(*scorch.Scorch), columns: new(column.Store)}, nil
}

// Reader returns a snapshot of the index. Package collapse finds the signatures of
// its documents in memory, as far as searches met them before.
func (x *Index) Reader() (index.IndexReader, error) {
	r, err := x.Scorch.Reader()
	if err == nil {
		x.columns.Adopt(r)
	}
	return r, err
}

// Update writes one document.
func (x *Index) Update(doc index.Document) error {
	b := index.NewBatch()
	b.Update(doc)
	return x.Batch(b)
}

// Batch writes and deletes documents, all or none of them. It does not change
// batch. It returns an error, and writes nothing, if a document has a field with
// one of the reserved names: else whoever sends documents could forge signatures.
func (x *Index) Batch(batch *index.Batch) error {
	signed := index.NewBatch()
	signed.InternalOps = batch.InternalOps
	signed.SetPersistedCallback(batch.PersistedCallback())
	for id, doc := range batch.IndexOps {
		if doc == nil {
			signed.IndexOps[id] = nil
			continue
		}
		d, err := x.sign(doc)
		if err != nil {
			return err
		}
		signed.IndexOps[id] = d
	}
	return x.Scorch.Batch(signed)
}

// sign returns doc, or a copy that makes its signature if it has fingerprinted
// text.
func (x *Index) sign(doc index.Document) (index.Document, error) {
	values, reserved := 0, ""
	visitAll(doc, func(f index.Field) {
		if signature.Reserved(f.Name()) {
			reserved = f.Name()
		}
		if fingerprinted(f) != nil {
			values++
		}
	})
	if reserved != "" {
		return nil, fmt.Errorf("neardup: document %q: field %q: wanted a name that is not reserved for signatures (%s, %s)",
			doc.ID(), reserved, signature.SketchField("*"), signature.SimhashField("*"))
	}
	if values == 0 {
		return doc, nil
	}
	d, ok := doc.(*document.Document)
	if !ok {
		return nil, fmt.Errorf("neardup: document %q: wanted a *document.Document, got a %T", doc.ID(), doc)
	}
	return newSigned(d, &x.counts), nil
}

// visitAll visits the fields of doc and of the documents nested in it.
func visitAll(doc index.Document, visit index.FieldVisitor) {
	doc.VisitFields(visit)
	if nested, ok := doc.(index.NestedDocument); ok {
		nested.VisitNestedDocuments(func(d index.Document) { visitAll(d, visit) })
	}
}

func init() {
	if err := registry.RegisterIndexType(Name, New); err != nil {
		panic(err)
	}
}
