package ranking

import (
	"cmp"
	"context"
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
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// source is where the hits of a request and their signatures come from.
type source interface {
	// search is bleve's SearchInContext, such that read works for the hits.
	search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error)
	// read returns the signature of a hit, stored.ErrNone, or why it cannot be read.
	read(hit *search.DocumentMatch) (*signature.Signature, error)
	// values appends the values of a hit by which it is grouped.
	values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error)
	// load loads what the caller's request wants of hits.
	load(ctx context.Context, hits search.DocumentMatchCollection) error
	// close releases what the hits needed.
	close()
}

// known returns hits with what is known of them.
func known(from source, by fields.Options, hits search.DocumentMatchCollection) (all []parts.Hit, err error) {
	all = make([]parts.Hit, len(hits))
	for i, hit := range hits {
		one := &all[i]
		one.DocumentMatch, one.Err = hit, stored.ErrNone
		if !by.Alone() {
			one.Signature, one.Err = from.read(hit)
		}
		if by.Any() {
			if one.Values, err = from.values(hit, nil); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// newSource returns the best source of an index: its memory, if it is one local index of type
// neardup, or else stored fields, which any index gives. Where values decide alone, any local
// index does.
func newSource(x *Watched, field string, by fields.Options, caller *bleve.SearchRequest) (source, error) {
	if inner, err := x.Advanced(); err == nil {
		reader, err := inner.Reader()
		if err == nil && !column.Nil(reader) { // else the search reports that the index is closed
			probed := snapshot{IndexReader: reader, signatures: column.Of(reader, field)}
			_, counted := reader.(interface{ AddRef() })
			reader.Close()
			if probed.signatures != nil || by.Alone() && counted {
				l, err := newLocal(x, field, by, caller)
				l.probed = probed
				return l, err
			}
		}
	}
	return &loaded{index: x, field: field, stored: signature.SketchField(field), by: by, caller: caller}, nil
}

// loaded reads signatures from the stored fields of hits, which bleve reads from disk for each
// hit. Parts of the index that know of a Want give better.
type loaded struct {
	index  bleve.Index
	field  string
	stored string // the stored field with the signature
	by     fields.Options
	keep   []string // fields that the caller's filter needs
	caller *bleve.SearchRequest
	local  localValues
	ranked map[*search.DocumentMatch]*parts.Hit // by parts
}

func (s *loaded) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	if slices.Contains(r.Fields, "*") { // which has them, and bleve would load twice what is named besides
		r.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(name string) bool { return name == s.stored })
		return s.plain(ctx, r)
	}
	r.Fields = slices.Concat(r.Fields, s.keep, s.by.Names())
	if !s.by.Alone() {
		r.Fields = append(r.Fields, s.stored)
	}
	return s.plain(ctx, r)
}

// values come from the part that gave the hit, or the index that it is of, or the stored
// fields of the hit.
func (s *loaded) values(hit *search.DocumentMatch, v fields.Values) (fields.Values, error) {
	if r := s.ranked[hit]; r != nil {
		return append(v, r.Values...), nil
	}
	if s.local.of == nil {
		s.local.open(s.index, s.by.Names())
	}
	found, err := s.local.append(v, hit)
	if found == nil && err == nil {
		found = append(v, fields.OfHit(hit.Fields, s.by.Names())...)
	}
	return found, err
}

func (s *loaded) read(hit *search.DocumentMatch) (*signature.Signature, error) {
	if r := s.ranked[hit]; r != nil {
		return r.Signature, r.Err
	}
	return stored.OfHit(hit, s.stored)
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
	for some := range slices.Chunk(ids, MostIDs) {
		found, err := Named(ctx, s.index.SearchInContext, r, some)
		if err != nil {
			return err
		}
		for _, hit := range found {
			if b := bare[PlaceOf(hit)]; b != nil {
				b.Fields, b.Fragments = hit.Fields, hit.Fragments
				if b.Locations == nil { // which came already if the caller asked for them
					b.Locations = hit.Locations
				}
			}
		}
	}
	return nil
}

// MostIDs is how many ids one search names, which those who serve shards allow.
const MostIDs = 10_000

func (s *loaded) close() { s.local.close() }

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

// newLocal returns a local, also beside an error.
func newLocal(x *Watched, field string, by fields.Options, caller *bleve.SearchRequest) (*local, error) {
	h, err := highlighter(caller.Highlight)
	return &local{index: x, field: field, by: by, caller: caller, highlighter: h}, err
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

// find returns the snapshot of a hit and its number there, which is nil if it is not there.
func (l *local) find(hit *search.DocumentMatch) (s *snapshot, id index.IndexInternalID, err error) {
	if s, id = l.snapshot(hit), hit.IndexInternalID; s == nil {
		return nil, nil, fmt.Errorf("collapse: hit %q: wanted the snapshot of its search, got none", hit.ID)
	}
	if id == nil { // of a search for vectors
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
