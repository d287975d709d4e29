package ranking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/collector"
	"github.com/blevesearch/bleve/v2/search/highlight"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// source is where the hits of a request and their signatures come from.
type source interface {
	// search is bleve's SearchInContext, such that read works for the hits.
	search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error)
	// read returns the signature of a hit, stored.ErrNone, or why it cannot be read.
	read(hit *search.DocumentMatch) (*signature.Signature, error)
	// load loads what the caller's request wants of hits.
	load(ctx context.Context, hits search.DocumentMatchCollection) error
	// close releases what the hits needed.
	close()
}

// newSource returns the best source of an index: its memory, if it is one local index of type
// neardup, or else stored fields, which any index gives.
func newSource(x *Watched, field string, caller *bleve.SearchRequest) (source, error) {
	if inner, err := x.Advanced(); err == nil {
		reader, err := inner.Reader()
		if err == nil && !column.Nil(reader) { // else the search reports that the index is closed
			probed := snapshot{reader, column.Of(reader, field)}
			reader.Close()
			if probed.signatures != nil {
				l, err := newLocal(x, field, caller)
				l.probed = probed
				return l, err
			}
		}
	}
	return &loaded{index: x, field: signature.SketchField(field), caller: caller}, nil
}

// loaded reads signatures from the stored fields of hits, which bleve reads from disk for each
// hit. Parts of the index that know of a Want give better.
type loaded struct {
	index  bleve.Index
	field  string // the stored field
	caller *bleve.SearchRequest
	ranked map[*search.DocumentMatch]*parts.Hit // by parts
}

func (s *loaded) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	if !slices.Contains(r.Fields, "*") { // which has it, and bleve would load it twice
		r.Fields = append(r.Fields[:len(r.Fields):len(r.Fields)], s.field)
	}
	return s.index.SearchInContext(ctx, r)
}

func (s *loaded) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	if r := s.ranked[hit]; r != nil {
		return r.Signature, r.Err
	}
	return stored.OfHit(hit, s.field)
}

// load loads the fields of hits that came without them from a part.
func (s *loaded) load(ctx context.Context, hits search.DocumentMatchCollection) error {
	var ids []string
	bare := map[Place]*search.DocumentMatch{}
	for _, hit := range hits {
		if r := s.ranked[hit]; r != nil && r.Bare {
			ids, bare[PlaceOf(hit)] = append(ids, hit.ID), hit
		}
	}
	r := Among(s.caller)
	r.Fields, r.Highlight = s.caller.Fields, s.caller.Highlight
	found, err := Named(ctx, s.index.SearchInContext, r, ids)
	for _, hit := range found {
		if b := bare[PlaceOf(hit)]; b != nil {
			b.Fields, b.Fragments = hit.Fields, hit.Fragments
		}
	}
	return err
}

func (s *loaded) close() {}

// local reads signatures from memory. Then bleve is not asked for stored fields at all, and
// what the caller wants to see of the hits is loaded in the end, for the hits on the page
// alone. Document numbers hold for the snapshot that a search had, so it is kept until the
// end.
type local struct {
	index       *Watched
	field       string // the fingerprinted field
	caller      *bleve.SearchRequest
	highlighter highlight.Highlighter

	probed   snapshot                            // the newest when the source was made, closed
	searched []*snapshot                         // one for each search
	later    map[*search.DocumentMatch]*snapshot // of the hits that are not the first search's
	slab     slab[signature.Signature]
}

// newLocal returns a local, also beside an error.
func newLocal(x *Watched, field string, caller *bleve.SearchRequest) (*local, error) {
	h, err := highlighter(caller.Highlight)
	return &local{index: x, field: field, caller: caller, highlighter: h}, err
}

// slab allocates values some at a time: of each hit that is looked at, something is
// kept.
type slab[T any] []T

func (s *slab[T]) next() *T {
	if len(*s) == 0 {
		*s = make([]T, 16)
	}
	next := &(*s)[0]
	*s = (*s)[1:]
	return next
}

// snapshot is what a search saw of the index.
type snapshot struct {
	index.IndexReader
	signatures *column.Reader
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
	maker := search.MakeDocumentMatchHandler(collector.MakeTopNDocumentMatchHandler)
	if callers, ok := ctx.Value(search.MakeDocumentMatchHandlerKey).(search.MakeDocumentMatchHandler); ok {
		maker = callers
	}
	res, saw, err := l.collect(ctx, r, maker)
	if err != nil {
		return nil, err
	}
	if saw != nil && saw != l.searched[0] {
		if l.later == nil {
			l.later = make(map[*search.DocumentMatch]*snapshot)
		}
		for _, hit := range res.Hits {
			l.later[hit] = saw
		}
	}
	return res, nil
}

// collect is a search whose matches go to the handler that maker makes, and the
// snapshot that it saw.
func (l *local) collect(ctx context.Context, r *bleve.SearchRequest, maker search.MakeDocumentMatchHandler) (*bleve.SearchResult, *snapshot, error) {
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	r.IncludeLocations = r.IncludeLocations || r.Highlight != nil
	r.Fields, r.Highlight = nil, nil
	var saw *snapshot
	ctx = context.WithValue(ctx, search.MakeDocumentMatchHandlerKey,
		search.MakeDocumentMatchHandler(func(sc *search.SearchContext) (search.DocumentMatchHandler, bool, error) {
			if saw == nil {
				saw = l.see(sc.IndexReader)
			}
			return maker(sc)
		}))
	res, err := l.index.SearchInContext(ctx, r)
	return res, saw, err
}

// see keeps a snapshot open, if that can be done.
func (l *local) see(reader index.IndexReader) *snapshot {
	counted, ok := reader.(interface{ AddRef() })
	if !ok {
		return nil
	}
	counted.AddRef()
	saw := &snapshot{reader, l.probed.signatures}
	if reader != l.probed.IndexReader {
		saw.signatures = column.Of(reader, l.field)
	}
	l.searched = append(l.searched, saw)
	return saw
}

// snapshot returns the one that hit's document number is of, or nil.
func (l *local) snapshot(hit *search.DocumentMatch) *snapshot {
	if s := l.later[hit]; s != nil || len(l.searched) == 0 {
		return s
	}
	return l.searched[0]
}

func (l *local) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	s, id := l.snapshot(hit), hit.IndexInternalID
	if s == nil || s.signatures == nil {
		return nil, fmt.Errorf("collapse: hit %q: wanted the snapshot of its search, got none", hit.ID)
	}
	if id == nil { // of a search for vectors
		var err error
		if id, err = s.InternalID(hit.ID); err != nil || id == nil {
			return nil, errors.Join(stored.ErrNone, err)
		}
	}
	sig := l.slab.next()
	if ok, err := s.signatures.Read(id.Value(), sig); !ok {
		return nil, cmp.Or(err, stored.ErrNone)
	}
	return sig, nil
}

func (l *local) load(_ context.Context, hits search.DocumentMatchCollection) error {
	if !Loads(l.caller) {
		return nil
	}
	for _, hit := range hits {
		if err, _ := bleve.LoadAndHighlightAllFields(hit, l.caller, hit.Index, l.snapshot(hit), l.highlighter); err != nil {
			return err
		}
	}
	return nil
}

func (l *local) close() {
	for _, s := range l.searched {
		s.Close()
	}
}
