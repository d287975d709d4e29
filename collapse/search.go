package collapse

import (
	"context"
	"errors"
	"fmt"
	"runtime/trace"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Search searches index and collapses the result. It walks the hits in rank order,
// with their signatures, until the page is full, they are at their end, or the budget
// is spent. bleve is asked for somewhat more hits than the page needs, and for more
// if they are not enough; an index of type neardup gives them one by one.
//
// request is as for bleve, and is not changed; "_id" is the last tie-break of its
// sort order, without which bleve's pages overlap. The stored signatures are taken
// out of the hits again unless request.Fields names them.
//
// SearchAfter and SearchBefore ask for the page behind a key or before it, as in bleve:
// hits that tie with the key are on neither. Hits are walked from the top until the key
// comes, and what is shown is what pages by From show; if that takes more than the
// budget, the error wraps ErrTooMany. From walks from the top, too, and is such an error
// where the budget does not reach it. A cursor looks at no hit twice.
//
// Each hit has a sort key of its own, which the caller may change. A Size or From of more
// than 1<<29 counts as that.
//
// Score fusion ranks the hits of bleve's window alone (Params.ScoreWindowSize). Where
// Params is nil the window is as large as the page takes, and Total with it: it moves from
// page to page, each page has a ranking of its own, and a head may come on two pages or
// on none. Set Params to ask for more than one page. Of several indexes bleve leaves open
// in which order hits come that tie by fusion, and so does Search.
//
// The error is bleve's own, or wraps ErrRequest or ErrTooMany. An index that is known to
// have no signatures of Options.Field is an error that wraps ErrRequest, unless
// Options.AllowUnsigned is set. If members of an alias fail in
// any of the searches that it takes, the result says so in Status, as bleve does.
func Search(ctx context.Context, index bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	if err := indexes.Check(ctx, index); err != nil {
		return nil, invalid{fmt.Errorf("collapse: %w", err)}
	}
	defer trace.StartRegion(ctx, "collapse.Search").End()
	asked := request
	if request != nil && max(request.Size, request.From) > mostHits { // "all" is often written as the largest int
		own := *request
		own.Size, own.From = min(own.Size, mostHits), min(own.From, mostHits)
		asked = &own
	}
	r, err := answerAny(ctx, index, asked, o)
	if err != nil {
		return nil, err
	}
	if r.Request == asked {
		r.Request = request
	}
	r.ownKeys(request)
	return r, nil
}

// mostHits is more than one search can look at.
const mostHits = 1 << 29

// answerAny is Search for sizes that can be added.
func answerAny(ctx context.Context, index bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	w, err := newWalk(o)
	if err == nil {
		err = check(request, w.options)
	}
	if err != nil {
		return nil, invalid{err}
	}
	if w.options.Mode == Off {
		return plain(ctx, index, request)
	}
	if err := signed(index, w.options); err != nil {
		return nil, err
	}
	if request.Size > indexes.MostHits {
		all := *request
		all.Size = indexes.MostHits
		request = &all
	}
	if w.options.Whole {
		r, err := searchWhole(ctx, index, request, w.options)
		if !errors.Is(err, ErrTooMany) {
			return r, err
		}
		w.options.Budget = defaultBudget
	}
	watch := &watched{anyIndex: index}
	s, err := newScan(watch, request, w)
	if err != nil {
		return nil, invalid{err}
	}
	defer s.source.close()
	from, want := request.From, min(request.From+request.Size, w.options.Budget)
	visible := want
	switch {
	case o.Cursor != nil:
		visible = len(o.Cursor.Heads) + request.Size
	case request.SearchAfter != nil || request.SearchBefore != nil:
		visible = w.options.Budget
	}
	w.reserve(visible)
	defer w.release()
	switch {
	case o.Cursor != nil:
		if err := s.recall(ctx, o.Cursor); err != nil {
			return nil, fmt.Errorf("collapse: heads of the pages before: %w", err)
		}
		from, want = w.before, w.before+min(request.Size, w.options.Budget)
	case request.Size > 0 && (request.SearchAfter != nil || request.SearchBefore != nil):
		if from, want, err = s.toKey(ctx); err != nil {
			return nil, err
		}
	}
	if want > len(w.hits) || s.base == nil {
		if err := s.run(ctx, want); err != nil {
			return nil, err
		}
	}
	r, err := s.result(ctx, from)
	if err != nil {
		return nil, err
	}
	err = watch.complete(ctx, request, w.options, r)
	r.tellForeign(w.others)
	return r, err
}

// plain is bleve's own search.
func plain(ctx context.Context, index bleve.Index, request *bleve.SearchRequest) (*Result, error) {
	r, err := index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	return &Result{SearchResult: r}, nil
}

// ErrRequest: the request or the options cannot be answered as they are, on any
// index or on this one. The error that wraps it tells what was wanted and what came.
var ErrRequest = errors.New("invalid request")

// invalid is an error that wraps ErrRequest without repeating it.
type invalid struct{ error }

func (e invalid) Unwrap() []error { return []error{ErrRequest, e.error} }

// check returns an error for a request that cannot be collapsed.
func check(request *bleve.SearchRequest, o Options) error {
	if request == nil || indexes.NoQuery(request.Query) {
		return errors.New("collapse: wanted a request with a query, got none")
	}
	if o.Mode == Off {
		return nil
	}
	if _, err := indexes.Page(request.Size, request.From); err != nil {
		return fmt.Errorf("collapse: %w", err)
	}
	switch {
	case o.Whole && bleve.IsScoreFusionRequested(request):
		return errors.New("collapse: whole: wanted a request without score fusion, got one with it")
	case o.Whole && hasKNN(request):
		return errors.New("collapse: whole: wanted a request without vectors (knn), whose hits bleve finds beside the query, got one with them")
	case o.Whole:
	case o.Mode == Demote && (request.SearchAfter != nil || request.SearchBefore != nil):
		return fmt.Errorf("collapse: wanted no search_after or search_before in mode %q, whose hits have two places, got one", Demote)
	case o.Cursor != nil && request.From != 0:
		return fmt.Errorf("collapse: wanted from 0 with a cursor, got %d", request.From)
	case o.Cursor != nil && (request.SearchAfter != nil || request.SearchBefore != nil):
		return errors.New("collapse: wanted a cursor, search_after or search_before, got several")
	}
	return checkKey(request)
}

// signed returns an error if index is known to have no signatures, unless o allows it.
func signed(index bleve.Index, o Options) error {
	if o.AllowUnsigned {
		return nil
	}
	return unsigned(indexes.Signed(index, o.Field))
}

// unsigned says what else can be done about an index without signatures.
func unsigned(err error) error {
	if err == nil {
		return nil
	}
	return invalid{fmt.Errorf("collapse: %w; allow_unsigned searches it as it is", err)}
}

// scan is one Search under way.
type scan struct {
	source  source
	caller  *bleve.SearchRequest
	order   search.SortOrder    // the caller's
	request bleve.SearchRequest // what bleve is asked: order, and then by "_id"
	walk    *walk
	fusion  bool // bleve can only count hits, not continue behind a key
	quick   bool // bleve is asked from the top, with the caller's order: see ties.go and want.go

	base  *bleve.SearchResult // of the first request: totals, facets
	taken int                 // hits walked, those of the pages before included
	spent int                 // hits looked at in this search
	seen  []Ref               // of them, as long as quick
	last  *search.DocumentMatch
	after []string // the key to continue behind; nil at the start
	took  time.Duration
	done  bool // no hit is left

	behindAll bool // the caller's key is behind every hit
}

func newScan(index bleve.Index, request *bleve.SearchRequest, w *walk) (*scan, error) {
	src, err := newSource(index, w.options.Field, request)
	if err != nil {
		return nil, err
	}
	w.read = src.read
	s := &scan{source: src, caller: request, request: *request, walk: w}
	s.fusion = bleve.IsScoreFusionRequested(request)
	r := &s.request
	r.From, r.SearchAfter, r.SearchBefore = 0, nil, nil
	r.Sort = ranking(request.Sort) // of fusion too: without any, bleve takes its window from anywhere
	if !s.fusion {
		s.order = ranking(request.Sort)
		r.Sort = byIDAtLast(s.order)
		_, away := src.(*stored)
		s.quick = (away || len(r.Sort) > len(s.order)) && w.options.Cursor == nil && r.Score != "none"
	}
	if c := w.options.Cursor; c != nil {
		s.taken, s.after = c.Taken, c.After
		if err := c.check(r); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// run walks hits until want are visible and the next would be one more.
func (s *scan) run(ctx context.Context, want int) error {
	if s.caller.Size == 0 {
		_, err := s.fetch(ctx, bleve.SearchRequest{Sort: s.order})
		s.done = err == nil && s.base.Total == 0
		return err
	}
	if l := s.rankable(ctx); l != nil {
		if done, err := s.rank(ctx, l, want); done || err != nil {
			return err
		}
		s.quick = false
	}
	for budget := s.walk.options.Budget; !s.done && s.spent < budget; {
		// Hits that are not needed cost less than another request; if these are
		// not enough, ask for ever more.
		missing := want - s.walk.before - len(s.walk.hits)
		hits, all, err := s.more(ctx, min(max(2*missing+20, 2*s.spent), budget-s.spent), want)
		if err != nil {
			return err
		}
		if room := budget - s.spent; len(hits) > room { // of several parts
			hits, all = hits[:room], false
		}
		for _, hit := range hits {
			if !s.take(hit, s.walk.before+len(s.walk.hits) < want) {
				return nil // the first of the next page
			}
		}
		s.spent += len(hits)
		s.done = all
	}
	return nil
}

// take takes a hit as walk does.
func (s *scan) take(hit *search.DocumentMatch, room bool) bool {
	if !s.walk.take(hit, room) {
		return false
	}
	s.taken++
	s.last = hit
	if s.quick {
		s.seen = append(s.seen, refOf(hit))
	}
	return true
}
