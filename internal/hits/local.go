package hits

import (
	"cmp"
	"context"
	"fmt"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/collector"
	"github.com/blevesearch/bleve/v2/search/highlight"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// local reads signatures from memory. Then bleve is not asked for stored fields at all, and
// what the caller wants to see of the hits is loaded in the end, for the hits on the page
// alone. Document numbers hold for the snapshot that a search had, so it is kept until the
// end.
type local struct {
	index       *Watched
	field       string
	by          fields.Options
	caller      *bleve.SearchRequest
	highlighter highlight.Highlighter

	probed   snapshot                            // the newest when the source was made, closed
	searched []*snapshot                         // one for each search
	later    map[*search.DocumentMatch]*snapshot // of the hits that are not the first search's
	slab     slab[signature.Signature]
}

// newLocal returns the memory of one local index of type neardup, and nil of another. Where values decide alone, any
// local index does.
func newLocal(x *Watched, field string, by fields.Options, caller *bleve.SearchRequest) (*local, error) {
	inner, err := x.Advanced()
	if err != nil {
		return nil, nil
	}
	reader, err := inner.Reader()
	if err != nil || column.Nil(reader) { // the search reports that the index is closed
		return nil, nil
	}
	probed := snapshot{IndexReader: reader, signatures: column.Of(reader, field)}
	_, counted := reader.(interface{ AddRef() })
	if reader.Close(); probed.signatures == nil && !(by.Alone() && counted) {
		return nil, nil
	}
	h, err := highlighter(caller.Highlight)
	return &local{index: x, field: field, by: by, caller: caller, highlighter: h, probed: probed}, err
}

// first asks bleve.
func (l *local) first(ctx context.Context, r *bleve.SearchRequest, w *parts.Want) (*bleve.SearchResult, bool, error) {
	size, order := r.Size, r.Sort.Copy()
	res, err := l.search(ctx, r)
	if err != nil {
		return nil, false, err
	}
	all := len(res.Hits) < size
	if w != nil {
		res.Hits = settle(order, res.Hits, all)
	}
	return res, all, nil
}

func (l *local) rank(n int) *own {
	const most = 1 << 20 // for more, it is searched again
	return &own{local: l, want: n, keep: 8*min(n, most) + 64}
}

// keeps asks about a hit with fields that are read for it.
func (l *local) keeps(k *Keep, hit *search.DocumentMatch) (bool, error) {
	s, _, err := l.find(hit)
	if err != nil {
		return false, err
	}
	return k.In(s, hit)
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
	signatures *column.Reader // nil if they are not in memory
	values     *fields.Reader // nil until it is used
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
	saw := &snapshot{IndexReader: reader, signatures: l.probed.signatures}
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

// at returns the snapshot of a hit and its number there, which is nil if it is not there.
func (l *local) at(hit *search.DocumentMatch) (s *snapshot, id index.IndexInternalID, err error) {
	if s, id = l.snapshot(hit), hit.IndexInternalID; s != nil && id == nil { // of a search for vectors
		id, err = s.InternalID(hit.ID)
	}
	return s, id, err
}

// find is at for a hit that must have a snapshot.
func (l *local) find(hit *search.DocumentMatch) (*snapshot, index.IndexInternalID, error) {
	s, id, err := l.at(hit)
	if s == nil {
		err = fmt.Errorf("collapse: hit %q: wanted the snapshot of its search, got none", hit.ID)
	}
	return s, id, err
}

func (l *local) values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error) {
	s, id, err := l.find(hit)
	if err != nil || id == nil {
		return append(v, fields.OfHit(nil, l.by.Names())...), err
	}
	if s.values == nil {
		if s.values, err = fields.NewReader(s.IndexReader, l.by.Names()); err != nil {
			return nil, err
		}
	}
	return s.values.Append(v, id)
}

func (l *local) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	s, id, err := l.find(hit)
	if err == nil && s.signatures == nil {
		err = fmt.Errorf("collapse: hit %q: wanted the snapshot of its search with signatures, got one without", hit.ID)
	}
	if err != nil {
		return nil, err
	}
	if id == nil {
		return nil, stored.ErrNone
	}
	sig := l.slab.next()
	if ok, err := s.signatures.Read(id.Value(), sig); !ok {
		return nil, cmp.Or(err, stored.ErrNone)
	}
	return sig, nil
}

func (l *local) load(_ context.Context, hits search.DocumentMatchCollection) error {
	if !loads(l.caller) {
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
