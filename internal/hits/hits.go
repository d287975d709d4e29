// Package hits gives the hits of a request in rank order, one at a time, each with its
// signature: Hits.Next is the one door, wherever they come from. The hits of an alias are those of its members, the best
// first (several.go). Of one index there are two sources: its memory (local.go), or else the stored fields of its hits, or
// what a part in another process tells (loaded.go). Hits of one index of type
// neardup, sorted by score, come from a ranking of our own, which bleve's matches are put
// into (own.go). All others come from bleve's collector, in batches, each from the top: with
// the order that ids settle (order.go).
//
// The caller's request goes into Open, and nowhere else: what a page, a group or a facet needs besides
// the next hit is asked of the same Hits.
package hits

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Options says which hits are given. Field, Rule, Fields and Visible must be set.
type Options struct {
	Field   string         // the fingerprinted field, which is not read if Fields decide alone
	Rule    signature.Rule // by which parts walk
	Fields  fields.Options // whose values come with the hits
	Visible int            // how many hits of a group are visible
	Keep    Keep
	Filter  query.Query // that hits must match, too; nil for none
	Far     bool        // hits are given up to a place that they alone tell
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
	spent time.Duration

	own     *own // gives the hits, or nil
	tried   bool // to rank them here
	pending search.DocumentMatchCollection
	last    bool // nothing comes after pending

	seen    []Place    // of all hits that were given
	current stored.Hit // the last of them
}

// Place is where a document is: in an index, by an id.
type Place struct{ Index, ID string }

// PlaceOf returns the place of a hit.
func PlaceOf(hit *search.DocumentMatch) Place { return Place{hit.Index, hit.ID} }

// Open returns the hits of request, which Check has seen. Next does not look at its From, Size and keys. The error
// is of the request.
func Open(x bleve.Index, request *bleve.SearchRequest, o Options) (*Hits, error) {
	caller := *indexes.Clipped(request)
	if o.Filter != nil {
		both := bleve.NewBooleanQuery()
		both.AddMust(caller.Query)
		both.AddFilter(o.Filter)
		caller.Query = both
	}
	return open(x, &caller, o)
}

// open opens the hits of one index, or of the members of an alias.
func open(x bleve.Index, caller *bleve.SearchRequest, o Options) (h *Hits, err error) {
	if inside, ok := Inside(x); ok {
		x = inside
	}
	h = &Hits{options: o, index: Watch(x), caller: caller, request: *caller}
	if h.members, err = newSeveral(x, caller, o); err == nil && h.members == nil {
		h.source, err = newSource(h.index, &o, caller)
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
		h.quick = r.Score != "none"
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
	h.current = stored.Hit{DocumentMatch: hit}
	kept, err := h.keeps(hit)
	if err == nil && kept {
		err = h.read(&h.current)
	}
	h.current.Rejected = !kept
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

// keeps reports whether the caller keeps a hit.
func (h *Hits) keeps(hit *search.DocumentMatch) (bool, error) {
	if h.options.Keep.Hit == nil {
		return true, nil
	}
	return h.of(hit).keeps(&h.options.Keep, hit)
}

// read reads what decides of which group a hit is.
func (h *Hits) read(hit *stored.Hit) (err error) {
	if !h.options.Fields.Alone() {
		hit.Signature, hit.Err = h.of(hit.DocumentMatch).read(hit.DocumentMatch)
	}
	if !h.options.Fields.Any() {
		return nil
	}
	if h.values, err = h.of(hit.DocumentMatch).values(hit.DocumentMatch, h.values[:0]); err == nil {
		hit.Lacks = h.values.Lacks(len(h.options.Fields.Names()))
		hit.Scope, hit.Key, err = h.numbers.Of(h.values)
	}
	if err != nil {
		err = fmt.Errorf("collapse: values of hit %q: %w", hit.ID, err)
	}
	return err
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
		if err := h.fetchMore(ctx, missing, most); err != nil {
			return nil, err
		}
	}
	hit := h.pending[0]
	h.pending = h.pending[1:]
	return hit, nil
}

// fetchMore fills pending.
func (h *Hits) fetchMore(ctx context.Context, missing, most int) (err error) {
	// Hits that are not needed cost less than another request; if these are not enough,
	// it asks for ever more.
	n := min(max(2*missing+20, 2*len(h.seen)), most)
	if h.pending, h.last, err = h.more(ctx, n, missing); err != nil {
		return err
	}
	if len(h.pending) > most { // of several parts
		h.pending, h.last = h.pending[:most], false
	}
	return nil
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
	h.note(res)
	return nil
}

// Count makes the search for Result, without hits.
func (h *Hits) Count(ctx context.Context) error {
	var err error
	if h.members != nil {
		err = h.begin(ctx, 0, 0)
	} else {
		_, _, err = h.fetch(ctx, h.order, 0, nil)
	}
	h.last = err == nil && h.first.Total == 0
	return err
}

// Result returns a copy of bleve's result, of the first search, without hits: totals and
// facets. Took is the time of all searches. It is nil before the first.
func (h *Hits) Result() *bleve.SearchResult {
	if h.first == nil {
		return nil
	}
	r := *h.first
	r.Hits, r.Took = nil, h.spent
	return &r
}

// Total is the number of matches, as bleve counts them in the first search.
func (h *Hits) Total() uint64 { return h.first.Total }

// Index is the index, as Status watches it.
func (h *Hits) Index() *Watched { return h.index }

// Close lets go of the snapshots that were searched.
func (h *Hits) Close() {
	if h.own != nil {
		h.own.release()
		h.own = nil
	}
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
	stored.Strip(hit, h.caller.Fields, h.options.Keep.Fields...)
}

// StripKey takes the tie-break out of the sort key of hit, and makes the key the hit's own.
func (h *Hits) StripKey(hit *search.DocumentMatch) {
	parts := len(h.order)
	if h.fusion {
		parts = len(hit.Sort)
	}
	stripKey(hit, parts)
}

// stripKey leaves so many parts of the sort key of hit, and makes the key the hit's own. All hits that are sorted by
// score share one key of bleve's: code that changed it would change the hits of all searches to come.
func stripKey(hit *search.DocumentMatch, parts int) {
	hit.Sort = hit.Sort[:min(parts, len(hit.Sort))]
	hit.DecodedSort = hit.DecodedSort[:min(parts, len(hit.DecodedSort))]
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
		if hits = h.unseen(hits); len(hits) > 0 || all {
			return hits, all, nil
		}
		if !h.quick { // else too many tie
			n *= 2
		}
		h.quick = false
	}
}

// top returns the first hits, about as many as size says, and whether those are all.
func (h *Hits) top(ctx context.Context, size, missing int) (search.DocumentMatchCollection, bool, error) {
	if h.fusion {
		return h.fetch(ctx, h.request.Sort, size, nil)
	}
	order := h.order
	if !h.quick {
		order = h.request.Sort
	}
	w := &parts.Want{
		Field: h.options.Field, Rule: h.options.Rule, Fields: h.options.Fields,
		Visible: size, PerGroup: h.options.Visible, Hits: size, Load: len(h.options.Keep.Fields) > 0,
	}
	if len(h.seen) == 0 && !h.options.Far {
		w.Visible = missing + 1 // to see the first of the next page
	}
	return h.fetch(ctx, order, size, w)
}

// unseen returns the hits that were not given already.
func (h *Hits) unseen(hits search.DocumentMatchCollection) search.DocumentMatchCollection {
	if len(h.seen) == 0 {
		return hits
	}
	given := make(map[Place]bool, len(h.seen))
	for _, place := range h.seen {
		given[place] = true
	}
	return slices.DeleteFunc(hits, func(hit *search.DocumentMatch) bool { return given[PlaceOf(hit)] })
}

// fetch asks for the first hits in an order, and whether those are all.
func (h *Hits) fetch(ctx context.Context, order search.SortOrder, size int, w *parts.Want) (
	search.DocumentMatchCollection, bool, error,
) {
	r := h.request // bleve changes what it is given
	if r.Sort, r.Size = order.Copy(), size; h.first != nil {
		r.Facets = nil
	}
	res, all, err := h.source.first(ctx, &r, w)
	if err != nil {
		return nil, false, err
	}
	h.note(res)
	return res.Hits, all, nil
}

// note adds the time of a search, and keeps the result of the first.
func (h *Hits) note(res *bleve.SearchResult) {
	h.spent += res.Took
	if h.first == nil {
		h.first = res
	}
}
