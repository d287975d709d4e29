package hits

import (
	"context"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// source is where the hits of a request on one index, and their signatures, come from.
type source interface {
	// search is bleve's SearchInContext, such that read works for the hits.
	search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error)
	// read returns the signature of a hit, stored.ErrNone, or why it cannot be read.
	read(hit *search.DocumentMatch) (*signature.Signature, error)
	// text returns the text that the signature of a hit was made from, nil if it is not stored or cannot be read.
	text(hit *stored.Hit) *verify.Text
	// values appends the values of a hit by which it is grouped.
	values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error)
	// load loads what the caller's request wants of hits.
	load(ctx context.Context, hits search.DocumentMatchCollection) error
	// close releases what the hits needed.
	close()
}

// newSource returns the best source of an index: its memory, what it says itself, or else stored fields, which any
// index gives.
func newSource(h *Hits) (source, error) {
	o := &h.options
	if l, err := newLocal(h.index, o.Field, o.Fields, h.caller); l != nil || err != nil {
		return l, err
	}
	s := &loaded{index: h.index, field: o.Field, by: o.Fields}
	if r, ok := h.index.anyIndex.(Ranker); ok {
		return &remote{loaded: s, Ranker: r, all: h, told: make(map[*search.DocumentMatch]*Hit)}, nil
	}
	return s, nil
}

// snapshot is what a search saw of an index.
type snapshot struct {
	index.IndexReader
	of         bleve.Index
	signatures *column.Reader   // nil if they are not in memory
	values     *fields.Reader   // nil until it is used
	texts      *verify.Snapshot // the same
}

// text returns the text that a signature was made from, of the document that has it here.
func (s *snapshot) text(field string, id index.IndexInternalID, sig *signature.Signature) *verify.Text {
	if s.texts == nil {
		var err error
		if s.texts, err = verify.NewSnapshot(s.IndexReader, s.of.Mapping(), field, column.Read(s.IndexReader, field)); err != nil {
			return nil
		}
	}
	return s.texts.Read(id, sig)
}
