package collapse

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/collector"
	"github.com/blevesearch/bleve/v2/search/highlight"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Signatures come from one of two places. Any index gives them as stored fields of
// its hits, which bleve reads from disk for each hit; an alias and a remote index
// can do no other. An index of type neardup at hand has those that were met before
// in memory. Then bleve is not asked for stored fields at all, and what the caller
// wants to see of the hits is loaded in the end, for those on the page alone.

// errUnsigned says that a hit has no signature.
var errUnsigned = errors.New("no signature stored")

// source is where the signatures of hits come from.
type source interface {
	// search is bleve's SearchInContext, such that read works for the hits.
	search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error)
	// read returns the signature of a hit, errUnsigned, or why it cannot be read.
	read(hit *search.DocumentMatch) (*signature.Signature, error)
	// show loads what the caller's request wants of a hit.
	show(hit *search.DocumentMatch) error
	// close releases what the hits needed.
	close()
}

// stored reads signatures from the stored fields of hits.
type stored struct {
	index bleve.Index
	field string // the stored field
}

func (s stored) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	r.Fields = append(r.Fields[:len(r.Fields):len(r.Fields)], s.field)
	return s.index.SearchInContext(ctx, r)
}

func (s stored) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	value, ok := hit.Fields[s.field]
	if !ok {
		return nil, errUnsigned
	}
	text, ok := value.(string)
	if !ok {
		return nil, fmt.Errorf("collapse: field %s: wanted one string, got a %T: %w", s.field, value, signature.ErrMalformed)
	}
	sig := new(signature.Signature)
	return sig, sig.UnmarshalText([]byte(text))
}

func (s stored) show(*search.DocumentMatch) error { return nil }
func (s stored) close()                           {}

// signer is an index of type neardup, as far as this package knows it.
type signer interface {
	Signature(reader index.IndexReader, id index.IndexInternalID, field string) (*signature.Signature, error)
}

// local reads signatures from an index at hand. Document numbers hold for the
// snapshot that a search had, so that is kept until the end.
type local struct {
	index       bleve.Index
	signer      signer
	field       string // the fingerprinted field
	caller      *bleve.SearchRequest
	highlighter highlight.Highlighter

	readers []index.IndexReader                         // one for each search
	later   map[*search.DocumentMatch]index.IndexReader // of the hits whose reader is not the first
}

func newSource(x bleve.Index, field string, caller *bleve.SearchRequest) (source, error) {
	if inner, err := x.Advanced(); err == nil {
		if s, ok := inner.(signer); ok {
			h, err := highlighter(caller.Highlight)
			return &local{
				index: x, signer: s, field: field, caller: caller, highlighter: h,
				later: map[*search.DocumentMatch]index.IndexReader{},
			}, err
		}
	}
	return stored{index: x, field: signature.SketchField(field)}, nil
}

// highlighter returns the one that bleve would use.
func highlighter(r *bleve.HighlightRequest) (highlight.Highlighter, error) {
	if r == nil {
		return nil, nil
	}
	style := bleve.Config.DefaultHighlighter
	if r.Style != nil {
		style = *r.Style
	}
	return bleve.Config.Cache.HighlighterNamed(style)
}

func (l *local) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	r.IncludeLocations = r.IncludeLocations || r.Highlight != nil
	r.Fields, r.Highlight = nil, nil
	var reader index.IndexReader
	maker := search.MakeDocumentMatchHandler(collector.MakeTopNDocumentMatchHandler)
	if callers, ok := ctx.Value(search.MakeDocumentMatchHandlerKey).(search.MakeDocumentMatchHandler); ok {
		maker = callers
	}
	ctx = context.WithValue(ctx, search.MakeDocumentMatchHandlerKey,
		search.MakeDocumentMatchHandler(func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
			if counted, ok := sc.IndexReader.(interface{ AddRef() }); ok && reader == nil {
				counted.AddRef()
				reader = sc.IndexReader
				l.readers = append(l.readers, reader)
			}
			return maker(sc)
		}))
	res, err := l.index.SearchInContext(ctx, r)
	if err != nil {
		return nil, err
	}
	if reader != nil && reader != l.readers[0] {
		for _, hit := range res.Hits {
			l.later[hit] = reader
		}
	}
	return res, nil
}

// reader returns the reader that hit's document number is one of, or nil.
func (l *local) reader(hit *search.DocumentMatch) index.IndexReader {
	if r := l.later[hit]; r != nil || len(l.readers) == 0 {
		return r
	}
	return l.readers[0]
}

func (l *local) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	reader, id := l.reader(hit), hit.IndexInternalID
	if reader == nil {
		return nil, fmt.Errorf("collapse: hit %q: wanted the reader of its search, got none", hit.ID)
	}
	if id == nil { // of a search for vectors
		var err error
		if id, err = reader.InternalID(hit.ID); err != nil || id == nil {
			return nil, errors.Join(errUnsigned, err)
		}
	}
	sig, err := l.signer.Signature(reader, id, l.field)
	if sig == nil && err == nil {
		err = errUnsigned
	}
	return sig, err
}

func (l *local) show(hit *search.DocumentMatch) error {
	err, _ := bleve.LoadAndHighlightAllFields(hit, l.caller, hit.Index, l.reader(hit), l.highlighter)
	return err
}

func (l *local) close() {
	for _, r := range l.readers {
		r.Close()
	}
}
