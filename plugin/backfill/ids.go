package backfill

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// following yields the ids of a snapshot that are not before first, in their order, until one
// is empty. Those of documents that are not there any more may be among them.
//
// scorch has ids in order only as terms; numbers of documents are in no order. bleve's
// older index type has no terms of ids, and documents in the order of their ids.
func following(r index.IndexReader, first string) (next func() (string, error), end func() error, err error) {
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

// named returns an error if the ids of a snapshot cannot be read. bleve's older index type
// writes an id before others with a byte between, 0xff, and reads it up to the first such
// byte: an id that has one comes back as another, or as none.
func named(r index.IndexReader) error {
	if _, ok := r.(*scorch.IndexSnapshot); ok {
		return nil
	}
	docs, err := r.DocIDReaderAll()
	if err != nil {
		return err
	}
	defer docs.Close()
	count, err := r.DocCount()
	if err != nil {
		return err
	}
	last := ""
	for n := uint64(0); ; n++ {
		doc, err := docs.Next()
		if err != nil {
			return err
		}
		if doc == nil && n == count {
			return nil
		}
		if doc == nil {
			return fmt.Errorf("backfill: source: wanted ids that its index type can read back, got one that begins with the byte 0xff")
		}
		id, err := r.ExternalID(doc)
		if err != nil {
			return err
		}
		found, err := r.Document(id)
		if err != nil {
			return fmt.Errorf("backfill: document %q: %w", id, err)
		}
		if id <= last || found == nil {
			return fmt.Errorf("backfill: source: wanted ids that its index type can read back, got one that begins with %q and goes on with the byte 0xff", id)
		}
		last = id
	}
}
