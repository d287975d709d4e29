package collapse

import (
	"context"
	"errors"
	"fmt"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Search searches index and collapses the result. It takes hits in rank order, with their
// signatures, until the page is full, no hit is left, or the budget is spent. bleve is asked
// for somewhat more hits than the page needs, and for more if they are not enough; a local
// index of type neardup gives them one by one.
//
// request is as for bleve, and is not changed; "_id" is the last tie-break of its sort order,
// without which bleve's pages overlap. The stored signatures are taken out of the hits again
// unless request.Fields names them.
//
// SearchAfter and SearchBefore ask for the page after a key or before it, as in bleve: hits
// that tie with the key are on neither. Hits are walked from the top until the key comes, and
// the page is what pages by From show; if that takes more than the budget, the error wraps
// ErrTooMany. From walks from the top, too, and is such an error where the budget does not
// reach it. A cursor looks at no hit twice.
//
// Each hit has a sort key of its own, which the caller may change. A Size or From of more
// than 1<<29 counts as 1<<29.
//
// Score fusion ranks the hits of bleve's window alone (Params.ScoreWindowSize). Where
// Params is nil the window is as large as the page takes, and Total with it: it moves from
// page to page, each page has a ranking of its own, and a head might come on two pages or
// on none. Set Params to ask for more than one page. Of several indexes bleve leaves open
// in which order hits come that tie by fusion, and so does Search.
//
// The error is bleve's own, or wraps ErrRequest or ErrTooMany. An index that is known to
// have no signatures of Options.Field is an error that wraps ErrRequest, unless
// Options.AllowUnsigned is set. If members of an alias fail in any of the searches that it
// takes, Status says so, as in bleve.
func Search(ctx context.Context, index bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	if err := indexes.Check(ctx, index); err != nil {
		return nil, invalid(fmt.Errorf("collapse: %w", err))
	}
	defer trace.StartRegion(ctx, "collapse.Search").End()
	o, err := o.filled()
	asked := indexes.Clipped(request)
	if err == nil {
		err = check(asked, o)
	}
	if err != nil {
		return nil, invalid(err)
	}
	if err := signed(index, o); err != nil {
		return nil, err
	}
	var r *Result
	if o.Whole {
		r, err = searchWhole(ctx, index, asked, o)
		if errors.Is(err, ErrTooMany) {
			o.Budget = defaultBudget
			r, err = searchPage(ctx, index, asked, o)
		}
	} else {
		r, err = searchPage(ctx, index, asked, o)
	}
	if err != nil {
		return nil, err
	}
	r.Request = request
	return r, nil
}

// searchPage takes hits in rank order until the page is full.
func searchPage(ctx context.Context, index bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	p, err := openPage(index, request, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	err = p.Begin(ctx)
	for err == nil && !p.Full {
		_, err = p.Take(ctx)
	}
	if err != nil {
		return nil, err
	}
	return p.result(ctx)
}

// ErrRequest: the request or the options cannot be answered as they are, on any
// index or on this one. The error that wraps it says what was wanted and what came.
var ErrRequest = paging.ErrRequest

// invalid returns an error that wraps ErrRequest without repeating it.
func invalid(err error) error { return paging.Wrong(err) }

// check returns an error for a request that cannot be collapsed by o.
func check(request *bleve.SearchRequest, o Options) error {
	if err := paging.CheckRequest(request); err != nil {
		return err
	}
	byKey := request.SearchAfter != nil || request.SearchBefore != nil
	switch {
	case o.Whole:
		return checkWhole(request)
	case o.Demote && byKey:
		return errors.New("collapse: demote cannot be combined with search_after or search_before, as a hit has two places")
	case o.Cursor != nil && request.From != 0:
		return fmt.Errorf("collapse: a cursor needs from 0, got %d", request.From)
	case o.Cursor != nil && byKey:
		return errors.New("collapse: a cursor cannot be combined with search_after or search_before")
	}
	return nil
}

// checkWhole returns an error for a request that cannot be collapsed as a whole.
func checkWhole(request *bleve.SearchRequest) error {
	switch {
	case bleve.IsScoreFusionRequested(request):
		return errors.New("collapse: whole cannot be combined with score fusion")
	case ranking.HasKNN(request):
		return errors.New("collapse: whole cannot be combined with vectors (knn), whose hits bleve finds beside the query")
	}
	return nil
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
	return invalid(fmt.Errorf("collapse: %w; allow_unsigned searches it as it is", err))
}

// Part is an index as a member of an alias. Search then has signatures of its hits from
// memory, if it is a local index of type neardup, and asks for no more hits than it needs.
func Part(x bleve.Index) bleve.Index { return paging.Part(x) }
