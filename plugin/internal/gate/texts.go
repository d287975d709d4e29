package gate

import (
	"bytes"
	"encoding/json"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// The texts that confirm a near-duplicate are the stored ones, also of a document that is about to be
// written: what is not stored could not be compared with the next.

// signing is the mapping of the index, by which texts are signed.
type signing struct {
	data    []byte
	mapping *mapping.IndexMappingImpl
}

// texts reads the texts of one snapshot and of one batch.
type texts struct {
	index *verify.Snapshot
	known verify.Cache[uint64]       // of documents in the index
	own   map[*Document]*verify.Text // of the batch
}

// texts returns the texts of a field in a snapshot.
func (s *signing) texts(reader index.IndexReader, field string) (*texts, error) {
	m, err := s.read(reader)
	if err != nil {
		return nil, err
	}
	snapshot, err := verify.NewSnapshot(reader, m, field, column.Of(reader, field))
	return &texts{index: snapshot, own: map[*Document]*verify.Text{}}, err
}

// read returns the mapping that the index has kept.
func (s *signing) read(reader index.IndexReader) (*mapping.IndexMappingImpl, error) {
	data, err := reader.GetInternal(util.MappingInternalKey)
	if err != nil {
		return nil, err
	}
	if s.mapping == nil || !bytes.Equal(data, s.data) {
		m := mapping.NewIndexMapping()
		if err := json.Unmarshal(data, m); err != nil {
			return nil, err
		}
		s.data, s.mapping = bytes.Clone(data), m
	}
	return s.mapping, nil
}

// of returns the text of a document that is about to be written, nil if it is not stored.
func (t *texts) of(d *Document) *verify.Text {
	text, ok := t.own[d]
	if !ok && d.Document != nil {
		text = t.index.Stored(d.Signature, storedOf(d))
		t.own[d] = text
	}
	return text
}

// storedOf returns the stored values of a document that is about to be written.
func storedOf(d *Document) func(field string) [][]byte {
	values := map[string][][]byte{}
	d.Document.VisitFields(func(f index.Field) {
		if f.Options().IsStored() {
			values[f.Name()] = append(values[f.Name()], f.Value())
		}
	})
	return func(field string) [][]byte { return values[field] }
}
