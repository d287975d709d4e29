package collapse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/collapse/internal/texts"
	"github.com/neardup/bleve-neardup/collapse/internal/whole"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Search searches index and collapses the result. It takes hits in rank order, with their signatures, until the page
// is full, no hit is left, or the budget is spent. It asks bleve for somewhat more hits than the page needs, and
// again if they are not enough. A local index of type neardup gives it the hits one by one.
//
// request is a request as for bleve; Search does not change it. "_id" is always the last tie-break of its sort order:
// without that, bleve's pages overlap. Search removes the stored signatures from the hits unless request.Fields names
// them.
//
// SearchAfter and SearchBefore ask for the page after or before a key, as in bleve: hits that tie with the key are on
// neither page. Search walks the hits from the top until it comes to the key, so that the page equals a page by From.
// From walks from the top, too. If the walk takes more hits than the budget, the error wraps ErrTooMany. A cursor walks
// from the top as well, but the hits before its place do not count in the budget.
//
// Each hit has a sort key of its own, which the caller can change. A Size or From of more than 1<<29 counts as 1<<29.
//
// Score fusion ranks only the hits of bleve's window (Params.ScoreWindowSize), and Total counts no others. Without
// Params it is an error: bleve would take a window as large as the page, and each page would have a ranking of its
// own. If hits of several indexes tie by fusion, their order is undefined in bleve, and so it is here.
//
// The error is bleve's own, or wraps ErrRequest or ErrTooMany. If index is known to have no signatures of
// Options.Field, or meets hits and has no document with a signature, the error wraps ErrRequest, unless
// Options.Missing is KeepMissing. If members of an alias fail in any search, Status says so, as in bleve.
func Search(ctx context.Context, index bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	if err := indexes.Check(ctx, index); err != nil {
		return nil, invalid(fmt.Errorf("collapse: %w", err))
	}
	defer trace.StartRegion(ctx, "collapse.Search").End()
	o, err := o.filled()
	asked := indexes.Clipped(request)
	if err == nil {
		err = o.check(asked)
	}
	if err == nil {
		asked, err = o.filtered(asked)
	}
	if err != nil {
		return nil, invalid(err)
	}
	err = o.ask(schema{
		signed: func(field string) error { return indexes.Signed(index, field) },
		has:    func(field string) error { return indexes.Field(index, field) },
		rule: func(field string, asked signature.Rule) (signature.Rule, error) {
			return indexes.Rule(ctx, index, field, asked)
		},
	})
	if err != nil {
		return nil, err
	}
	var r *Result
	if o.Whole {
		r, err = searchWhole(ctx, index, asked, o)
	} else {
		r, err = searchPage(ctx, index, asked, o)
	}
	if err == nil && r.Unsigned > 0 && o.Missing != KeepMissing {
		err = paging.Unsigned(indexes.NoneSigned(index, o.Field))
	}
	if err != nil {
		return nil, err
	}
	r.Request = request
	return r, nil
}

// searchPage answers a request by a page, for which it takes hits in rank order until it is full.
func searchPage(ctx context.Context, index bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	options := o.paging()
	options.Groups = o.grouping()
	var read *texts.Reader
	if o.Verify.On() {
		r, err := texts.Open(ctx, index, o.Field)
		if err != nil {
			return nil, fmt.Errorf("collapse: verify: %w", err)
		}
		defer r.Close()
		read = r
		options.Groups.Judge = r.Judge(o.Rule, o.Verify)
		options.Groups.Rule = o.Verify.Proposes(o.Rule, r.Lanes())
	}
	p, err := paging.Open(index, request, options)
	if err != nil {
		return nil, invalid(err)
	}
	defer p.Close()
	found, err := p.Fill(ctx)
	if err != nil {
		return nil, err
	}
	if read != nil {
		if err := read.Err(); err != nil {
			return nil, unread(err)
		}
		p.Hits.Index().Saw(&bleve.SearchResult{Status: read.Status()})
	}
	next := p.Next()
	r, err := o.result(ctx, p.Hits.Index(), request, found, !p.Done())
	if err != nil {
		return nil, err
	}
	if next != nil {
		own := Cursor(*next)
		r.Next = &own
	}
	return r, nil
}

// unread returns the error of texts that cannot be read: bleve's, or one of the request.
func unread(err error) error {
	var missing texts.Unmapped
	if errors.As(err, &missing) {
		return invalid(fmt.Errorf("collapse: %w", err))
	}
	return err
}

// searchWhole answers a request by a Query. The error wraps ErrTooMany if there are more matches
// than the budget.
func searchWhole(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	q := &Query{inner: request.Query, options: o, keep: o.keep().Serial(), asked: true}
	q.options.Head = ranking.Order(request.Sort)
	watched := ranking.Watch(x)
	found, err := whole.Search(ctx, watched, request, o.Field, q, o.Head, o.Complete)
	if err != nil {
		return nil, err
	}
	if found.Walk == nil { // nothing was asked of the searcher
		return &Result{SearchResult: found.SearchResult, Groups: []Group{}, TotalGroupsRelation: bleve.TotalRelationGte}, nil
	}
	return o.result(ctx, watched, request, found, false)
}

// ErrRequest is wrapped by the error for a request or options that cannot be answered, on any
// index or on this one. That error says what was wanted and what came.
var ErrRequest = paging.ErrRequest

// invalid returns an error that wraps ErrRequest without repeating it.
func invalid(err error) error { return paging.Wrong(err) }

// check returns an error for a request that cannot be collapsed by o.
func (o *Options) check(request *bleve.SearchRequest) error {
	if err := cmp.Or(paging.CheckRequest(request), o.checkKey(request), o.checkHead()); err != nil {
		return err
	}
	fused := bleve.IsScoreFusionRequested(request)
	switch {
	case o.diverse() && !byScore(request):
		return errors.New("collapse: diversify needs hits in order of score")
	case o.Whole && fused:
		return errors.New("collapse: whole cannot be combined with score fusion")
	case o.Whole && ranking.HasKNN(request):
		return errors.New("collapse: whole cannot be combined with vectors (knn), whose hits bleve finds beside the query")
	case fused && request.Params == nil:
		return errors.New("collapse: score fusion needs params with a score_window_size, of all pages that will be asked for, " +
			"got none: each page would have a ranking of its own")
	case o.Cursor != nil && request.From != 0:
		return fmt.Errorf("collapse: a cursor needs from 0, got %d", request.From)
	case o.Cursor != nil:
		return o.Cursor.paging().Check()
	}
	return nil
}

// checkKey returns an error for options that cannot be combined with the caller's key, if the request has one.
func (o *Options) checkKey(request *bleve.SearchRequest) error {
	switch {
	case request == nil || request.SearchAfter == nil && request.SearchBefore == nil:
		return nil
	case o.diverse():
		return errors.New("collapse: diversify cannot be combined with search_after or search_before")
	case len(o.Head) > 0:
		return errors.New("collapse: head cannot be combined with search_after or search_before: " +
			"the hit that is shown has another key than the place of its group")
	case o.Cursor != nil:
		return errors.New("collapse: a cursor cannot be combined with search_after or search_before")
	}
	return nil
}

// byScore reports whether hits come by score, the best first.
func byScore(request *bleve.SearchRequest) bool {
	if request.Score == "none" || len(request.Sort) == 0 {
		return request.Score != "none"
	}
	first, ok := request.Sort[0].(*search.SortScore)
	return ok && first.Desc
}

// filtered returns request for the documents that Filter matches too.
func (o *Options) filtered(request *bleve.SearchRequest) (*bleve.SearchRequest, error) {
	switch {
	case o.Filter.Query == nil:
		return request, nil
	case indexes.NoQuery(o.Filter.Query):
		return nil, errors.New("collapse: filter: wanted a query, got a nil one")
	case ranking.HasKNN(request):
		return nil, errors.New("collapse: filter cannot be combined with vectors (knn), which have filters of their own")
	}
	both := bleve.NewBooleanQuery()
	both.AddMust(request.Query)
	both.AddFilter(o.Filter.Query)
	own := *request
	own.Query = both
	return &own, nil
}

// Part returns x for use as a member of an alias. If x is a local index of type neardup, Search
// then finds the signatures of its hits in memory, and asks for no more hits than it needs.
func Part(x bleve.Index) bleve.Index { return paging.Part(x) }
