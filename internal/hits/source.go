package hits

import (
	"context"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// source is where the hits of a request on one index, and their signatures, come from.
type source interface {
	// search is bleve's SearchInContext, such that read works for the hits.
	search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error)
	// first is search for the first hits of r, and reports whether these are all. With w, hits that tie come in the order
	// of their ids, without those that tie with the last, unless they are all; and parts of the index that know of w
	// decide for themselves how many are enough.
	first(ctx context.Context, r *bleve.SearchRequest, w *parts.Want) (*bleve.SearchResult, bool, error)
	// rank returns a ranking of the source's own for about n hits by score, nil if it has none.
	rank(n int) *own
	// keeps asks the caller's filter about a hit.
	keeps(k *Keep, hit *search.DocumentMatch) (bool, error)
	// at returns the snapshot that a hit is of, nil if it is not here, and its number there, nil if it has none.
	at(hit *search.DocumentMatch) (*snapshot, index.IndexInternalID, error)
	// read returns the signature of a hit, stored.ErrNone, or why it cannot be read.
	read(hit *search.DocumentMatch) (*signature.Signature, error)
	// values appends the values of a hit by which it is grouped.
	values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error)
	// load loads what the caller's request wants of hits.
	load(ctx context.Context, hits search.DocumentMatchCollection) error
	// close releases what the hits needed.
	close()
}

// newSource returns the best source of an index: its memory, or else stored fields, which any index gives.
func newSource(x *Watched, o *Options, caller *bleve.SearchRequest) (source, error) {
	if l, err := newLocal(x, o.Field, o.Fields, caller); l != nil || err != nil {
		return l, err
	}
	s := &loaded{index: x, field: o.Field, stored: signature.Field(o.Field).Sketch(), by: o.Fields, caller: caller}
	s.keep = o.Keep.Fields
	s.several = !one(x.Bare()) && !bleve.IsScoreFusionRequested(caller)
	return s, nil
}
