package collapse

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
)

// Signatures come from one of two places. Any index gives them as stored fields of
// its hits, which bleve reads from disk for each hit, unless it is an alias of parts that
// have better to give: see want.go. An index of type neardup at hand has those that were met before
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

// stored reads signatures from the stored fields of hits, unless a part of the index
// gave them: see want.go.
type stored struct {
	index  bleve.Index
	field  string // the stored field
	ranked map[*search.DocumentMatch]*rankedHit
}

func (s *stored) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	if !slices.Contains(r.Fields, "*") { // which has it, and bleve would load it twice
		r.Fields = append(r.Fields[:len(r.Fields):len(r.Fields)], s.field)
	}
	return s.index.SearchInContext(ctx, r)
}

func (s *stored) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	if r := s.ranked[hit]; r != nil {
		return r.sig, r.err
	}
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

func (s *stored) show(*search.DocumentMatch) error { return nil }
func (s *stored) close()                           {}

// local reads signatures from memory. Document numbers hold for the snapshot that
// a search had, so that is kept until the end.
type local struct {
	index       bleve.Index
	field       string // the fingerprinted field
	caller      *bleve.SearchRequest
	highlighter highlight.Highlighter

	probed   snapshot                            // the newest when the source was made, closed
	searched []*snapshot                         // one for each search
	later    map[*search.DocumentMatch]*snapshot // of the hits that are not the first search's
	slab     slab[signature.Signature]
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

func newSource(x bleve.Index, field string, caller *bleve.SearchRequest) (source, error) {
	if inner, err := x.Advanced(); err == nil {
		reader, err := inner.Reader()
		if err == nil && !column.Nil(reader) { // else the search tells that the index is closed
			probed := snapshot{reader, column.Of(reader, field)}
			reader.Close()
			if probed.signatures != nil {
				h, err := highlighter(caller.Highlight)
				return &local{index: x, field: field, caller: caller, highlighter: h, probed: probed}, err
			}
		}
	}
	return &stored{index: x, field: signature.SketchField(field)}, nil
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
			return nil, errors.Join(errUnsigned, err)
		}
	}
	return inMemory(s.signatures, id, l.slab.next())
}

// inMemory sets and returns the signature of a document, or returns errUnsigned.
func inMemory(signatures *column.Reader, id index.IndexInternalID, sig *signature.Signature) (*signature.Signature, error) {
	if ok, err := signatures.Read(id.Value(), sig); !ok {
		return nil, cmp.Or(err, errUnsigned)
	}
	return sig, nil
}

func (l *local) show(hit *search.DocumentMatch) error {
	if !loads(l.caller) {
		return nil
	}
	err, _ := bleve.LoadAndHighlightAllFields(hit, l.caller, hit.Index, l.snapshot(hit), l.highlighter)
	return err
}

func (l *local) close() {
	for _, s := range l.searched {
		s.Close()
	}
}

// reading returns a function that reads the signature of a document of reader;
// signatures are those in memory, or nil.
func reading(reader index.IndexReader, field string, signatures *column.Reader) func(index.IndexInternalID) (*signature.Signature, error) {
	if signatures != nil {
		return func(id index.IndexInternalID) (*signature.Signature, error) {
			return inMemory(signatures, id, new(signature.Signature))
		}
	}
	stored := signature.SketchField(field)
	return func(id index.IndexInternalID) (*signature.Signature, error) {
		name, err := reader.ExternalID(id)
		if err != nil {
			return nil, err
		}
		d, err := reader.Document(name)
		if err != nil || d == nil {
			return nil, errors.Join(errUnsigned, err)
		}
		sig, err := (*signature.Signature)(nil), errUnsigned
		d.VisitFields(func(f index.Field) {
			switch {
			case f.Name() != stored:
			case sig == nil:
				sig = new(signature.Signature)
				err = sig.UnmarshalText(f.Value())
			default:
				err = fmt.Errorf("collapse: field %s: wanted one string, got several: %w", stored, signature.ErrMalformed)
			}
		})
		return sig, err
	}
}
