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
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/collapse/internal/whole"
	"github.com/neardup/bleve-neardup/internal/hits"
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
	if err == nil {
		err = o.check(request)
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
	g := o.grouping()
	var read *hits.Texts
	if o.Verify.On() && !o.Whole {
		if read, err = hits.OpenTexts(ctx, index, o.Field); err != nil {
			return nil, fmt.Errorf("collapse: verify: %w", err)
		}
		defer read.Close()
		g.Judge, g.Rule = read.Judge(o.Rule, o.Verify), o.Verify.Proposes(o.Rule, read.Lanes())
	}
	h, err := hits.Open(index, request, hits.Options{
		Field: o.Field, Rule: g.Rule, Fields: g.Fields, Visible: o.Visible, Keep: o.keep(), Filter: o.Filter.Query,
		Far: o.Cursor != nil || request.SearchAfter != nil || request.SearchBefore != nil,
	})
	if err != nil {
		return nil, invalid(err)
	}
	defer h.Close()
	var r *Result
	if o.Whole {
		r, err = o.whole(ctx, h)
	} else {
		r, err = o.page(ctx, h, g, read)
	}
	if err == nil && r.Unsigned > 0 && o.Missing != KeepMissing {
		err = unsigned(indexes.NoneSigned(index, o.Field))
	}
	if err != nil {
		return nil, err
	}
	r.Request = request
	return r, nil
}

// page answers a request by a page, for which it takes hits in rank order until it is full. read has the texts that
// decide, nil if none do.
func (o *Options) page(ctx context.Context, h *hits.Hits, g groups.Options, read *hits.Texts) (*Result, error) {
	p := o.newPage(h, g)
	defer p.walk.Release()
	if err := p.fill(ctx); err != nil {
		return nil, err
	}
	r, err := p.result(ctx)
	if err == nil && read != nil {
		err = unread(read.Err())
		h.Index().Saw(&bleve.SearchResult{Status: read.Status()})
	}
	if err != nil {
		return nil, err
	}
	r.Next = p.next()
	return r, o.finish(ctx, h, r, p.walk, !p.done())
}

// unread returns the error of texts that cannot be read: bleve's, or one of the request.
func unread(err error) error {
	var missing hits.Unmapped
	if errors.As(err, &missing) {
		return invalid(fmt.Errorf("collapse: %w", err))
	}
	return err
}

// whole answers a request by a Query. The error wraps ErrTooMany if there are more matches
// than the budget.
func (o *Options) whole(ctx context.Context, h *hits.Hits) (*Result, error) {
	q := &Query{inner: h.Query(), options: *o, keep: o.keep().Serial(), asked: true}
	q.options.Head = h.Order()
	found, err := whole.Search(ctx, h, o.Field, q, o.Head)
	if err != nil {
		return nil, err
	}
	if found.Walk == nil { // nothing was asked of the searcher
		return &Result{SearchResult: found.SearchResult, Groups: []Group{}, TotalGroupsRelation: bleve.TotalRelationGte}, nil
	}
	r := resultOf(found.SearchResult, found.Walk, found.Groups, found.Others)
	r.TotalGroups, r.Hidden, r.Complete = found.Total, found.Hidden, o.Complete
	return r, o.finish(ctx, h, r, found.Walk, false)
}

// check returns an error for a request that cannot be collapsed by o.
func (o *Options) check(request *bleve.SearchRequest) error {
	if err := cmp.Or(hits.Check(request), o.checkHead()); err != nil {
		return err
	}
	byKey := request.SearchAfter != nil || request.SearchBefore != nil
	fused := bleve.IsScoreFusionRequested(request)
	switch {
	case byKey && o.diverse():
		return errors.New("collapse: diversify cannot be combined with search_after or search_before")
	case byKey && len(o.Head) > 0:
		return errors.New("collapse: head cannot be combined with search_after or search_before: " +
			"the hit that is shown has another key than the place of its group")
	case byKey && o.Cursor != nil:
		return errors.New("collapse: a cursor cannot be combined with search_after or search_before")
	case o.diverse() && !byScore(request):
		return errors.New("collapse: diversify needs hits in order of score")
	case o.Whole && fused:
		return errors.New("collapse: whole cannot be combined with score fusion")
	case o.Whole && hits.HasKNN(request):
		return errors.New("collapse: whole cannot be combined with vectors (knn), whose hits bleve finds beside the query")
	case fused && request.Params == nil:
		return errors.New("collapse: score fusion needs params with a score_window_size, of all pages that will be asked for, " +
			"got none: each page would have a ranking of its own")
	case o.Cursor != nil && request.From != 0:
		return fmt.Errorf("collapse: a cursor needs from 0, got %d", request.From)
	case o.Filter.Query != nil && indexes.NoQuery(o.Filter.Query):
		return errors.New("collapse: filter: wanted a query, got a nil one")
	case o.Filter.Query != nil && hits.HasKNN(request):
		return errors.New("collapse: filter cannot be combined with vectors (knn), which have filters of their own")
	case o.Cursor != nil:
		return o.Cursor.check()
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
