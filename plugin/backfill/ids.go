package backfill

import (
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// ids yields the ids of a snapshot that are not before first, in their order, until one
// is empty. Those of documents that are not there any more may be among them.
//
// scorch has ids in order only as terms; numbers of documents are in no order. bleve's
// older index type has no terms of ids, and documents in the order of their ids.
func ids(r index.IndexReader, first string) (next func() (string, error), end func() error, err error) {
	if _, ok := r.(*scorch.IndexSnapshot); ok {
		terms, err := r.FieldDictRange("_id", []byte(first), nil)
		if err != nil {
			return nil, nil, err
		}
		return func() (string, error) {
			e, err := terms.Next()
			if err != nil || e == nil {
				return "", err
			}
			return e.Term, nil
		}, terms.Close, nil
	}
	docs, err := r.DocIDReaderAll()
	if err != nil {
		return nil, nil, err
	}
	from := index.IndexInternalID(first)
	return func() (id string, err error) {
		var doc index.IndexInternalID
		if from != nil {
			doc, err = docs.Advance(from)
			from = nil
		} else {
			doc, err = docs.Next()
		}
		if err != nil || doc == nil {
			return "", err
		}
		return r.ExternalID(doc)
	}, docs.Close, nil
}
