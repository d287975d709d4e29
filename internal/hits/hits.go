// Package hits gives the hits of a request in rank order, one at a time, each with its signature: see Hits.Next. The
// hits of an alias are those of its members, the best first (several.go). One index has one of three sources: its
// memory (local.go), what an index in another process says itself, or the stored fields of hits (loaded.go). Hits of
// one local index, sorted by score, come from a ranking of our own (ranked.go), all others from bleve's collector, in
// batches, each from the top, ties in the order of ids (order.go).
//
// The caller's request goes into Open, and nowhere else: what a page, a group or a facet needs besides the next hit is
// asked of the same Hits.
package hits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Options says which hits are given. Field, Rule, Fields and Visible must be set.
type Options struct {
	Field   string         // the fingerprinted field, which is not read if Fields decide alone
	Rule    signature.Rule // by which they are grouped
	Fields  fields.Options // whose values come with the hits
	Visible int            // how many hits of a group are visible
	Far     bool           // hits are given up to a place that they alone tell
}

// Hits gives the hits of one request. Close must be called.
type Hits struct {
	options Options
	index   *Watched
	source  source   // nil of several
	members *several // nil of one index
	numbers fields.Numbers
	values  fields.Values // of the last hit that was read
	caller  *bleve.SearchRequest
	order   search.SortOrder                     // the caller's; nil with score fusion
	request bleve.SearchRequest                  // what bleve is asked for: order, and then by "_id"
	fusion  bool                                 // hits have no key
	quick   bool                                 // bleve is asked in the caller's order
	compare func(a, b *search.DocumentMatch) int // by order

	first *bleve.SearchResult // of the first search: totals, facets

	own     *ranked // gives the hits, or nil
	tried   bool    // to rank them here
	pending search.DocumentMatchCollection
	last    bool // nothing comes after pending

	seen    []Place                                           // of all hits that were given
	current stored.Hit                                        // the last of them
	reader  func(hit *search.DocumentMatch) index.IndexReader // see ReadFrom
}

// Place is where a document is: in an index, by an id.
type Place struct{ Index, ID string }

// PlaceOf returns the place of a hit.
func PlaceOf(hit *search.DocumentMatch) Place { return Place{hit.Index, hit.ID} }

// Open returns the hits of request, which Check has seen. Next does not look at its From, Size and keys. The error
// is of the request.
func Open(x bleve.Index, request *bleve.SearchRequest, o Options) (*Hits, error) {
	return open(x, indexes.Clipped(request), o)
}

// open opens the hits of one index, or of the members of an alias.
func open(x bleve.Index, caller *bleve.SearchRequest, o Options) (h *Hits, err error) {
	x = inside(x)
	h = &Hits{options: o, index: Watch(x), caller: caller, request: *caller}
	if h.members, err = newSeveral(x, caller, o); err == nil && h.members == nil {
		h.source, err = newSource(h)
	}
	if err != nil {
		return nil, err
	}
	h.numbers.Options = o.Fields
	h.fusion = bleve.IsScoreFusionRequested(caller)
	r := &h.request
	r.From, r.SearchAfter, r.SearchBefore = 0, nil, nil
	r.Sort = Order(r.Sort) // of fusion too: without any, bleve takes its window from anywhere
	if !h.fusion {
		h.order = r.Sort
		r.Sort = ByIDAtLast(h.order)
		l, _ := h.source.(*local)
		h.quick = r.Score != "none" && (l == nil || !l.manyTie)
		h.compare = Compare(h.order)
	}
	return h, nil
}

// Page is the page that the caller asks for: how many hits it has, and how many come before it.
func (h *Hits) Page() (size, from int) { return h.caller.Size, h.caller.From }

// Query is the query that hits match.
func (h *Hits) Query() query.Query { return h.caller.Query }

// Order is the order that the caller asks for.
func (h *Hits) Order() search.SortOrder { return Order(h.caller.Sort) }

// Next gives the next hit, which is there until the next call, and nil if there is none. missing is how many more
// visible hits the caller needs, and most how many hits it still looks at, at least 1.
func (h *Hits) Next(ctx context.Context, missing, most int) (*stored.Hit, error) {
	hit, err := h.give(ctx, missing, most)
	if hit == nil || err != nil {
		return nil, err
	}
	h.current, err = h.known(hit)
	return &h.current, err
}

// give gives the next hit, without what is known of it.
func (h *Hits) give(ctx context.Context, missing, most int) (*search.DocumentMatch, error) {
	hit, err := h.next(ctx, missing, most)
	if hit != nil {
		h.seen = append(h.seen, PlaceOf(hit))
	}
	return hit, err
}

// of is the source of a hit, nil if the hit is of none.
func (h *Hits) of(hit *search.DocumentMatch) source {
	for h != nil && h.members != nil {
		h = h.members.of[hit]
	}
	if h == nil {
		return nil
	}
	return h.source
}

// search is bleve's SearchInContext, such that of works for the hits.
func (h *Hits) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if h.members == nil {
		return h.source.search(ctx, r)
	}
	res, err := h.members.search(ctx, r)
	if err == nil {
		h.index.Saw(res)
	}
	return res, err
}

// known returns a hit with what decides of which group it is.
func (h *Hits) known(hit *search.DocumentMatch) (one stored.Hit, err error) {
	one.DocumentMatch = hit
	of := h.of(hit)
	if !h.options.Fields.Alone() {
		one.Signature, one.Err = of.read(hit)
	}
	if !h.options.Fields.Any() {
		return one, nil
	}
	if h.values, err = of.values(hit, h.values[:0]); err == nil {
		one.Lacks = h.values.Lacks(len(h.options.Fields.Names()))
		one.Scope, one.Key, err = h.numbers.Of(h.values)
	}
	if err != nil {
		err = fmt.Errorf("collapse: values of hit %q: %w", hit.ID, err)
	}
	return one, err
}

// Lanes is the least number of lanes that the sketches of a field of x have, as far as mappings tell; else the
// default. The error is of an index whose texts cannot be read.
func Lanes(x bleve.Index, field string) (int, error) {
	var mappings []mapping.IndexMapping
	for _, leaf := range indexes.Leaves(inside(x)) {
		if _, err := leaf.Advanced(); err != nil && err != bleve.ErrorIndexClosed {
			return 0, Wrong(errors.New("collapse: verify needs a local index or an alias of local ones, got one that is remote: " +
				"leave out verify, so that the sketches decide"))
		}
		mappings = append(mappings, leaf.Mapping())
	}
	return LeastLanes(field, mappings), nil
}

// LeastLanes is Lanes for mappings.
func LeastLanes(field string, mappings []mapping.IndexMapping) (least int) {
	for _, m := range mappings {
		if a, err := neardup.Kept(m, field); err == nil && (least == 0 || a.Params().Lanes < least) {
			least = a.Params().Lanes
		}
	}
	return cmp.Or(least, signature.DefaultParams().Lanes)
}

// Text returns the text of a hit, nil if it is not stored, cannot be read, or is none that the
// signature of the hit was made from.
func (h *Hits) Text(hit *stored.Hit) *verify.Text {
	if of := h.of(hit.DocumentMatch); of != nil {
		return of.text(hit)
	}
	return nil
}

// Values are the values of the hit that Next gave last, as long as no other is read.
func (h *Hits) Values() fields.Values { return h.values }

// next returns the next hit, or nil.
func (h *Hits) next(ctx context.Context, missing, most int) (*search.DocumentMatch, error) {
	if h.members != nil {
		if !h.members.begun {
			if err := h.begin(ctx, missing, most); err != nil {
				return nil, err
			}
		}
		return h.members.next(ctx, h, missing, most)
	}
	if !h.tried {
		h.tried = true
		if err := h.rank(ctx, missing); err != nil {
			return nil, err
		}
	}
	if h.own != nil {
		hit, err := h.pull(ctx)
		if hit != nil || err != nil || h.own != nil {
			return hit, err
		}
	}
	for len(h.pending) == 0 {
		if h.last {
			return nil, nil
		}
		// Hits that are not needed cost less than another request; if these are not enough,
		// it asks for ever more.
		var err error
		if h.pending, h.last, err = h.more(ctx, min(max(2*missing+20, 2*len(h.seen)), most), missing); err != nil {
			return nil, err
		}
	}
	hit := h.pending[0]
	h.pending = h.pending[1:]
	return hit, nil
}

// Done reports whether no hit is left. It does not search, so false means: not known.
func (h *Hits) Done() bool {
	if h.members != nil && h.members.begun {
		return h.members.done()
	}
	return h.last && len(h.pending) == 0
}

// begin asks all members for their first hits.
func (h *Hits) begin(ctx context.Context, missing, most int) error {
	r := h.request
	r.Size = most
	res, err := h.members.begin(ctx, &r, missing, most)
	if err != nil {
		return err
	}
	h.index.Saw(res)
	h.first = cmp.Or(h.first, res)
	return nil
}

// Count makes the search for Result, without hits.
func (h *Hits) Count(ctx context.Context) error {
	var err error
	if h.members != nil {
		err = h.begin(ctx, 0, 0)
	} else {
		_, _, err = h.top(ctx, 0, 0)
	}
	h.last = err == nil && h.first.Total == 0
	return err
}

// Result returns a copy of bleve's result, of the first search, without hits: totals and facets. It is nil before that.
func (h *Hits) Result() *bleve.SearchResult {
	if h.first == nil {
		return nil
	}
	r := *h.first
	r.Hits = nil
	return &r
}

// Total is the number of matches, as bleve counts them in the first search.
func (h *Hits) Total() uint64 { return h.first.Total }

// Index is the index, as Status watches it.
func (h *Hits) Index() *Watched { return h.index }

// Close lets go of the snapshots that were searched.
func (h *Hits) Close() {
	if h.members != nil {
		h.members.close()
		return
	}
	h.source.close()
}

// Loads reports whether the caller's request asks for anything that has to be loaded for each hit.
func (h *Hits) Loads() bool { return loads(h.caller) }

func loads(r *bleve.SearchRequest) bool { return len(r.Fields) > 0 || r.Highlight != nil }

// Load loads what the caller's request wants of hits, if it is not there.
func (h *Hits) Load(ctx context.Context, hits search.DocumentMatchCollection) error {
	if !h.Loads() {
		return nil
	}
	by := make(map[source]search.DocumentMatchCollection)
	for _, hit := range hits {
		of := h.of(hit)
		by[of] = append(by[of], hit)
	}
	for of, some := range by {
		if err := of.load(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// Strip leaves of hit what bleve would have returned, whatever way it came: no stored signature
// that the caller did not name, and no tie-break in the sort key.
func (h *Hits) Strip(hit *search.DocumentMatch) {
	h.StripKey(hit)
	stored.Strip(hit, h.caller.Fields, h.options.Fields.Names()...)
}

// StripKey takes the tie-break out of the sort key of hit, and makes the key the hit's own. All hits that are sorted by
// score share one key of bleve's: code that changed it would change the hits of all searches to come.
func (h *Hits) StripKey(hit *search.DocumentMatch) {
	if !h.fusion { // which has no tie-break
		hit.Sort = hit.Sort[:min(len(h.order), len(hit.Sort))]
		hit.DecodedSort = hit.DecodedSort[:min(len(h.order), len(hit.DecodedSort))]
	}
	if len(hit.Sort) == 1 {
		hit.Sort = []string{hit.Sort[0]}
	}
}

// more returns hits that were not given yet, about n, and whether they are the last. Each search starts at the top, so
// that an index that is written meanwhile gives no hit twice.
func (h *Hits) more(ctx context.Context, n, missing int) (search.DocumentMatchCollection, bool, error) {
	for {
		hits, all, err := h.top(ctx, len(h.seen)+n, missing)
		if err != nil {
			return nil, false, err
		}
		if len(h.seen) > 0 {
			given := make(map[Place]bool, len(h.seen))
			for _, place := range h.seen {
				given[place] = true
			}
			hits = slices.DeleteFunc(hits, func(hit *search.DocumentMatch) bool { return given[PlaceOf(hit)] })
		}
		if len(hits) > 0 || all {
			return hits, all, nil
		}
		if !h.quick { // else too many tie
			n *= 2
		}
		h.quick = false
	}
}

// top asks for the first hits, about as many as size says, and whether those are all.
func (h *Hits) top(ctx context.Context, size, missing int) (search.DocumentMatchCollection, bool, error) {
	order := h.request.Sort
	if h.quick {
		order = h.order
	}
	r := h.request // bleve changes what it is given
	if r.Sort, r.Size = order.Copy(), size; h.first != nil {
		r.Facets = nil
	}
	if s, ok := h.source.(*remote); ok && !h.fusion && size > 0 {
		visible := size
		if len(h.seen) == 0 && !h.options.Far {
			visible = missing + 1 // to see the first of the next page
		}
		a, err := s.rank(ctx, &r, visible)
		if err != nil {
			return nil, false, err
		}
		h.first = cmp.Or(h.first, a.SearchResult)
		return a.Hits, !a.More, nil
	}
	res, err := h.source.search(ctx, &r)
	if err != nil {
		return nil, false, err
	}
	h.first = cmp.Or(h.first, res)
	all := len(res.Hits) < size
	if !h.fusion {
		res.Hits = settle(order, res.Hits, all)
	}
	return res.Hits, all, nil
}
