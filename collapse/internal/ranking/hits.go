// Package ranking gives the hits of an index in rank order, one at a time, each with its
// signature: Hits.Next is the one door, wherever they come from. Hits of one index of type
// neardup, sorted by score, come from a ranking of our own, which bleve's matches are put
// into (own.go). All others come from bleve's collector, in batches: with the order that
// ids settle (order.go), after the key of the last hit, from the window of score fusion, or
// merged from several parts (merge.go). Signatures come from memory or with the hits
// (source.go).
package ranking

import (
	"context"
	"fmt"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Options says which hits are given. All fields but Keep and Bare must be set.
type Options struct {
	Field   string         // the fingerprinted field, which is not read if Fields decide alone
	Rule    signature.Rule // by which parts walk
	Fields  fields.Options // whose values come with the hits
	Visible int            // how many hits of a group are visible
	Budget  int            // the most hits that are given or rejected
	Keep    Keep
	Bare    bool // hits come without what is loaded of them, until Load, and the result without facets
}

// Hits gives the hits of one request. Close must be called.
type Hits struct {
	options Options
	index   *Watched
	source  source
	numbers fields.Numbers
	values  fields.Values // of the last hit that was read
	caller  *bleve.SearchRequest
	order   search.SortOrder    // the caller's; nil with score fusion
	request bleve.SearchRequest // what bleve is asked for: order, and then by "_id"
	fusion  bool                // bleve can only count hits, not continue after a key
	quick   bool                // bleve is asked from the top, in the caller's order
	keyed   bool                // hits are walked on the way to a key

	first *bleve.SearchResult // of the first search: totals, facets
	spent time.Duration

	own     *own // gives the hits, or nil
	tried   bool // to rank them here
	pending search.DocumentMatchCollection
	last    bool // nothing comes after pending

	given    int // hits, with the hits of the pages before, and with the rejected ones
	here     int // of them, those that Next gave or rejected
	rejected int // of them, those that Next rejected
	seen     []Place
	before   *search.DocumentMatch // the hit before current
	current  stored.Hit            // the one that Next gave
	unread   bool                  // to give current again
	after    []string              // the key to continue after; nil at the start
	mixed    bool                  // hits of several indexes have come
	member   string                // of an alias of several, the index of the last hit that was given

	keys []string // room for the sort keys of hits
}

// Place is where a document is: in an index, by an id.
type Place struct{ Index, ID string }

// PlaceOf returns the place of a hit.
func PlaceOf(hit *search.DocumentMatch) Place { return Place{hit.Index, hit.ID} }

// Open returns the hits of request, whose From, Size and keys it does not look at. The error
// is of the request.
func Open(x bleve.Index, request *bleve.SearchRequest, o Options) (*Hits, error) {
	watched := Watch(x)
	src, err := newSource(watched, o.Field, o.Fields, request)
	if err != nil {
		return nil, err
	}
	if from, ok := src.(*loaded); ok {
		from.keep, from.bare = o.Keep.Fields, o.Bare
	}
	h := &Hits{options: o, index: watched, source: src, caller: request, request: *request, numbers: fields.Numbers{Options: o.Fields}}
	h.fusion = bleve.IsScoreFusionRequested(request)
	r := &h.request
	if r.From, r.SearchAfter, r.SearchBefore = 0, nil, nil; o.Bare {
		r.Fields, r.Highlight, r.Facets = nil, nil, nil
	}
	r.Sort = Order(request.Sort) // of fusion too: without any, bleve takes its window from anywhere
	if !h.fusion {
		h.order = r.Sort
		r.Sort = ByIDAtLast(h.order)
		_, remote := src.(*loaded)
		h.quick = (remote || len(r.Sort) > len(h.order)) && r.Score != "none"
	}
	return h, nil
}

// Resume goes on after the hits that other calls gave: as many as taken says, of which the
// last has the given key, and is of the given member. key may be nil, and member "".
func (h *Hits) Resume(key []string, member string, taken int) error {
	if err := h.CheckPlace(key, taken); err != nil {
		return err
	}
	h.given, h.after, h.member = taken, key, member
	h.quick, h.tried = false, true
	return nil
}

// CheckPlace returns an error for a place that no hit has.
func (h *Hits) CheckPlace(key []string, taken int) error {
	if key != nil && !continuable(&h.request, key) {
		return fmt.Errorf("wanted a key of the request's sort order (%d parts), got %q", len(h.request.Sort), key)
	}
	if taken < 0 || taken > indexes.MostHits {
		return fmt.Errorf("taken: wanted 0 to %d, got %d", indexes.MostHits, taken)
	}
	return nil
}

// Again calls f, which takes at most so many hits beyond the budget. They were given before, and
// do not count.
func (h *Hits) Again(more int, f func() error) error {
	budget := h.options.Budget
	h.options.Budget += more
	err := f()
	h.options.Budget = budget
	h.here, h.rejected = 0, 0
	return err
}

// Next gives the next hit, which is there until the next call, and nil if there is none or the budget is
// spent. missing is how many more visible hits the caller needs.
func (h *Hits) Next(ctx context.Context, missing int) (*stored.Hit, error) {
	if h.unread {
		h.unread = false
		h.count(h.current.DocumentMatch)
		return &h.current, nil
	}
	for h.here < h.options.Budget {
		hit, err := h.next(ctx, missing)
		if hit == nil || err != nil {
			return nil, err
		}
		h.before = h.current.DocumentMatch
		h.current = stored.Hit{DocumentMatch: hit}
		kept, err := h.keeps(hit)
		if err == nil && kept {
			err = h.read(&h.current)
		}
		if err != nil {
			return nil, err
		}
		if h.count(hit); kept {
			return &h.current, nil
		}
		h.rejected++
	}
	return nil, nil
}

// keeps reports whether the caller keeps a hit.
func (h *Hits) keeps(hit *search.DocumentMatch) (bool, error) {
	if h.options.Keep.Hit == nil {
		return true, nil
	}
	if l, ok := h.source.(*local); ok {
		s, _, err := l.find(hit)
		if err != nil {
			return false, err
		}
		return h.options.Keep.In(s, hit)
	}
	return h.options.Keep.Hit(hit), nil // it came with its fields
}

// read reads what decides of which group a hit is.
func (h *Hits) read(hit *stored.Hit) (err error) {
	if !h.options.Fields.Alone() {
		hit.Signature, hit.Err = h.source.read(hit.DocumentMatch)
	}
	if !h.options.Fields.Any() {
		return nil
	}
	if h.values, err = h.source.values(hit.DocumentMatch, h.values[:0]); err == nil {
		hit.Scope, hit.Key, err = h.numbers.Of(h.values)
	}
	if err != nil {
		err = fmt.Errorf("collapse: values of hit %q: %w", hit.ID, err)
	}
	return err
}

// Values are the values of the hit that Next gave last, as long as no other is read.
func (h *Hits) Values() fields.Values { return h.values }

// Unread takes back the hit that Next gave last: the next call of Next gives it again.
func (h *Hits) Unread() {
	h.unread = true
	h.given--
	h.here--
	if h.quick && h.own == nil {
		h.seen = h.seen[:len(h.seen)-1]
	}
}

// count counts a hit as given.
func (h *Hits) count(hit *search.DocumentMatch) {
	h.given++
	h.here++
	if h.quick && h.own == nil {
		h.seen = append(h.seen, PlaceOf(hit))
	}
}

// next returns the next hit, or nil.
func (h *Hits) next(ctx context.Context, missing int) (*search.DocumentMatch, error) {
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
		if err := h.fetchMore(ctx, missing); err != nil {
			return nil, err
		}
	}
	hit := h.pending[0]
	h.pending = h.pending[1:]
	return hit, nil
}

// fetchMore fills pending.
func (h *Hits) fetchMore(ctx context.Context, missing int) (err error) {
	// Hits that are not needed cost less than another request; if these are not enough,
	// it asks for ever more.
	room := h.options.Budget - h.here
	n := min(max(2*missing+20, 2*h.here), room)
	if h.pending, h.last, err = h.more(ctx, n, missing); err != nil {
		return err
	}
	if len(h.pending) > room { // of several parts
		h.pending, h.last = h.pending[:room], false
	}
	return nil
}

// Rejected is how many hits Next passed over because the caller does not keep them.
func (h *Hits) Rejected() int { return h.rejected }

// Taken is how many hits were given, with the hits that Resume skipped.
func (h *Hits) Taken() int { return h.given }

// Done reports whether no hit is left. It does not search, so false means: not known.
func (h *Hits) Done() bool { return h.last && len(h.pending) == 0 && !h.unread }

// Key returns the sort key of the last hit that was given, to Resume after, or nil where
// bleve cannot continue from it.
func (h *Hits) Key() []string {
	if err := h.advance(); err != nil {
		return nil
	}
	return h.after
}

// advance moves the key to the last hit that was given.
func (h *Hits) advance() error {
	last := h.current.DocumentMatch
	if h.unread {
		last = h.before
	}
	if last == nil {
		return nil
	}
	if h.several() {
		h.member = last.Index
	}
	if h.fusion {
		return nil
	}
	key, err := sortKey(h.request.Sort, last)
	if err != nil {
		return err
	}
	h.after = nil
	if continuable(&h.request, key) && encodes(h.request.Sort, last, key) {
		h.after = key
	}
	return nil
}

// Count makes the search for Result, without hits.
func (h *Hits) Count(ctx context.Context) error {
	_, err := h.fetch(ctx, bleve.SearchRequest{Sort: h.order})
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

// Index is the index, as Status watches it.
func (h *Hits) Index() *Watched { return h.index }

// Worst returns the status of the search with the most failures, nil if none failed.
func (h *Hits) Worst() *bleve.SearchStatus { return h.index.worst }

// Close lets go of the snapshots that were searched.
func (h *Hits) Close() {
	if h.own != nil {
		h.own.release()
		h.own = nil
	}
	h.source.close()
}

// Loads reports whether r asks for anything that has to be loaded for each hit.
func Loads(r *bleve.SearchRequest) bool { return len(r.Fields) > 0 || r.Highlight != nil }

// Load loads what the caller's request wants of hits, if it is not there.
func (h *Hits) Load(ctx context.Context, hits search.DocumentMatchCollection) error {
	if !Loads(h.caller) {
		return nil
	}
	return h.source.load(ctx, hits)
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
	if !h.fusion {
		cutKey(hit, len(h.order))
	}
	if len(hit.Sort) != 1 {
		return
	}
	if len(h.keys) == 0 {
		h.keys = make([]string, 16) // a page has many hits, each of which would allocate its own
	}
	key := h.keys[:1:1]
	h.keys = h.keys[1:]
	key[0] = hit.Sort[0]
	hit.Sort = key
}

// OwnKey gives hit a sort key of its own. All hits that are sorted by score share one key of
// bleve's: code that changed it would change the hits of all searches to come.
func OwnKey(hit *search.DocumentMatch) {
	if len(hit.Sort) == 1 {
		hit.Sort = []string{hit.Sort[0]}
	}
}

// StripKey leaves so many parts of the sort key of hit, and makes the key the hit's own.
func StripKey(hit *search.DocumentMatch, parts int) {
	cutKey(hit, parts)
	OwnKey(hit)
}

func cutKey(hit *search.DocumentMatch, parts int) {
	hit.Sort = hit.Sort[:min(parts, len(hit.Sort))]
	hit.DecodedSort = hit.DecodedSort[:min(parts, len(hit.DecodedSort))]
}

// more returns the next hits, n or somewhat more or less, and whether they are the last.
func (h *Hits) more(ctx context.Context, n, missing int) (hits search.DocumentMatchCollection, all bool, err error) {
	if h.quick {
		hits, all, err := h.top(ctx, h.given+n, missing)
		if err != nil {
			return nil, false, err
		}
		if hits, ok := h.unseen(hits, all); ok {
			return hits, all, nil
		}
		h.quick = false
	}
	if err := h.advance(); err != nil {
		return nil, false, err
	}
	for ; ; n *= 2 { // until some are left of those that tie
		if h.after == nil {
			hits, all, err = h.settled(ctx, bleve.SearchRequest{Sort: h.request.Sort, Size: n, From: h.given})
		} else {
			hits, all, err = h.beyond(ctx, h.after, h.member, n)
		}
		if len(hits) > 0 || all || err != nil {
			return hits, all, err
		}
	}
}

// top returns the first hits, about as many as size says, in the order of ids where they
// tie, and whether those are all. Parts of the index that know of a Want decide for
// themselves how many.
func (h *Hits) top(ctx context.Context, size, missing int) (search.DocumentMatchCollection, bool, error) {
	w := &parts.Want{Field: h.options.Field, Rule: h.options.Rule, Fields: h.options.Fields, Visible: size, PerGroup: h.options.Visible, Hits: size, Load: len(h.options.Keep.Fields) > 0}
	if h.given == 0 && !h.keyed {
		w.Visible = missing + 1 // to see the first of the next page
	}
	from, remote := h.source.(*loaded)
	if remote {
		ctx = parts.With(ctx, w)
	}
	hits, err := h.fetch(ctx, bleve.SearchRequest{Sort: h.order, Size: size})
	if err != nil {
		return nil, false, err
	}
	all := len(hits) < size
	switch answers := w.Answers(); {
	case len(answers) > 0:
		return from.merge(h.order, settle(h.order, hits, all), all, answers)
	case len(h.order) == len(h.request.Sort):
		h.quick = false // to go on after the last hit costs less
	}
	return settle(h.order, hits, all), all, nil
}

// unseen returns the hits after the ones that were given already, and false if hits does not
// begin with these, or has no more although they are not all.
func (h *Hits) unseen(hits search.DocumentMatchCollection, all bool) (search.DocumentMatchCollection, bool) {
	if len(hits) < len(h.seen) || len(hits) == len(h.seen) && !all {
		return nil, false
	}
	for i, seen := range h.seen {
		if PlaceOf(hits[i]) != seen {
			return nil, false
		}
	}
	return hits[len(h.seen):], true
}

// fetch asks bleve for the hits that place says.
func (h *Hits) fetch(ctx context.Context, place bleve.SearchRequest) (search.DocumentMatchCollection, error) {
	r := h.request // bleve changes what it is given
	r.Sort, r.SearchAfter, r.SearchBefore, r.From, r.Size = place.Sort.Copy(), place.SearchAfter, place.SearchBefore, place.From, place.Size
	if h.first != nil {
		r.Facets = nil
	}
	res, err := h.source.search(ctx, &r)
	if err != nil {
		return nil, err
	}
	h.note(res)
	h.mixed = h.mixed || ofSeveral(res.Hits)
	return res.Hits, nil
}

// note adds the time of a search, and keeps the result of the first.
func (h *Hits) note(res *bleve.SearchResult) {
	h.spent += res.Took
	if h.first == nil {
		h.first = res
	}
}
