package hits

import (
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
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// local reads signatures from memory. What the caller wants to see of hits is loaded in the end, for those on the page
// alone. Document numbers hold for the snapshot that a search had, so it is kept until the end.
type local struct {
	index       *Watched
	field       string
	by          fields.Options
	caller      *bleve.SearchRequest
	highlighter highlight.Highlighter
	manyTie     bool // in the caller's order

	probed   snapshot                            // the newest when the source was made, closed
	searched []*snapshot                         // one for each search
	later    map[*search.DocumentMatch]*snapshot // of the hits that are not the first search's
}

// newLocal returns the memory of one local index of type neardup, and nil of another. Where values decide alone, any
// local index does.
func newLocal(x *Watched, field string, by fields.Options, caller *bleve.SearchRequest) (*local, error) {
	reader, err := indexes.Reader(x)
	if err != nil { // the search reports that the index is closed
		return nil, nil
	}
	l := &local{index: x, field: field, by: by, caller: caller}
	l.probed = snapshot{IndexReader: reader, signatures: l.signatures(reader)}
	l.manyTie = manyTie(reader, caller.Sort)
	_, counted := reader.(interface{ AddRef() })
	if reader.Close(); l.probed.signatures == nil && !(by.Alone() && counted) {
		return nil, nil
	}
	if caller.Highlight != nil { // by the one that bleve would use
		style := bleve.Config.DefaultHighlighter
		if caller.Highlight.Style != nil {
			style = *caller.Highlight.Style
		}
		l.highlighter, err = bleve.Config.Cache.HighlighterNamed(style)
	}
	return l, err
}

// signatures are the signatures of a snapshot in memory, or nil.
func (l *local) signatures(reader index.IndexReader) *column.Reader {
	if l.by.Alone() {
		return nil
	}
	return column.Of(reader, l.field)
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

// collect is a search whose matches go to the handler that maker makes, and the snapshot that it saw.
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
	saw := &snapshot{IndexReader: reader, of: l.index, signatures: l.probed.signatures}
	if reader != l.probed.IndexReader {
		saw.signatures = l.signatures(reader)
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

// find returns the snapshot of a hit and its number there, which is nil if it is not there.
func (l *local) find(hit *search.DocumentMatch) (s *snapshot, id index.IndexInternalID, err error) {
	s, id = l.snapshot(hit), hit.IndexInternalID
	switch {
	case s == nil:
		err = fmt.Errorf("collapse: hit %q: wanted the snapshot of its search, got none", hit.ID)
	case id == nil: // of a search for vectors
		id, err = s.InternalID(hit.ID)
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
	return s.signatures.Signature(id.Value())
}

func (l *local) text(hit *stored.Hit) *verify.Text {
	s, id, err := l.find(hit.DocumentMatch)
	if err != nil || id == nil {
		return nil
	}
	return s.text(l.field, id, hit.Signature)
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
