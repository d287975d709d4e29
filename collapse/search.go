package collapse

import (
	"context"
	"errors"
	"fmt"
	"runtime/trace"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/collapse/internal/whole"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Search searches index and collapses the result. It takes hits in rank order, with their signatures, until the page
// is full, no hit is left, or the budget is spent. A local index of type neardup gives it the hits one by one; others
// are asked for somewhat more hits than the page needs, and again if they are not enough.
//
// request is a request as for bleve, which Search does not change. "_id" is always the last tie-break of its sort
// order: without that, bleve's pages overlap. Stored signatures are removed from the hits unless request.Fields names
// them. A Size or From of more than 1<<27 counts as 1<<27.
//
// From, SearchAfter, SearchBefore and Options.Cursor all walk the hits from the top to where the page begins, so that
// the pages are the same. Only for a cursor the hits before the page do not count in the budget. As in bleve, hits that
// tie with a key of SearchAfter or SearchBefore are on neither page.
//
// Score fusion ranks only the hits of bleve's window, and Total counts no others. Without Params.ScoreWindowSize it is
// an error, as each page would have a ranking of its own. If hits of several indexes tie by fusion, their order is
// undefined in bleve, and so it is here.
//
// The error is bleve's own, or wraps ErrRequest or ErrTooMany. An index without any signature of Options.Field is an
// error that wraps ErrRequest, unless Options.Missing is KeepMissing. If members of an alias fail in any search, Status
// says so, as in bleve. Members that have documents of the same id need different names: see SetName. If an alias is
// swapped during the call, hits can be of its members before the swap, and copies of its members after the swap. Took
// is the time of the whole call.
func Search(ctx context.Context, index bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	began := time.Now()
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
	if o.Verify.On() && !o.Whole {
		lanes, err := hits.Lanes(index, o.Field)
		if err != nil {
			return nil, err
		}
		g.Rule = o.Verify.Proposes(o.Rule, lanes)
	}
	h, err := hits.Open(index, request, hits.Options{
		Field: o.Field, Rule: g.Rule, Fields: g.Fields, Visible: o.Visible,
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
		if o.Verify.On() {
			g.Judge = groups.ByTexts(o.Verify, o.Rule, h.Text)
		}
		r, err = o.page(ctx, h, g)
	}
	if err == nil && r.Unsigned > 0 && o.Missing != KeepMissing {
		err = unsigned(indexes.NoneSigned(index, o.Field))
	}
	if err != nil {
		return nil, err
	}
	r.Took, r.Request = time.Since(began), nil
	if request.Explain { // as in bleve
		r.Request = request
	}
	return r, nil
}

// page answers a request by a page, for which it takes hits in rank order until it is full.
func (o *Options) page(ctx context.Context, h *hits.Hits, g groups.Options) (*Result, error) {
	size, from := h.Page()
	p := &page{Options: o, hits: h, walk: groups.New(g), size: size, from: from, to: min(from+size, o.Budget)}
	if err := p.fill(ctx); err != nil {
		return nil, err
	}
	r, err := p.result(ctx)
	if err != nil {
		return nil, err
	}
	r.Next = p.next()
	return r, o.finish(ctx, h, r, !p.done())
}

// whole answers a request by a Query. The error wraps ErrTooMany if there are more matches
// than the budget.
func (o *Options) whole(ctx context.Context, h *hits.Hits) (*Result, error) {
	q := &Query{inner: h.Query(), options: *o, asked: true}
	q.options.Head = h.Order()
	found, err := whole.Search(ctx, h, q, o.Head)
	if err != nil {
		return nil, err
	}
	if found.Walk == nil { // nothing was asked of the searcher
		return &Result{SearchResult: found.SearchResult, Groups: []Group{}, TotalGroupsRelation: bleve.TotalRelationGte}, nil
	}
	r := resultOf(found.SearchResult, found.Walk, found.Groups, found.Others)
	r.TotalGroups, r.Hidden, r.Complete, r.Families = found.Total, found.Hidden, o.Complete, found.Known
	return r, o.finish(ctx, h, r, false)
}

// check returns an error for a request that cannot be collapsed by o, which is filled.
func (o *Options) check(request *bleve.SearchRequest) error {
	if err := hits.Check(request); err != nil {
		return err
	}
	byKey := request.SearchAfter != nil || request.SearchBefore != nil
	fused, knn := bleve.IsScoreFusionRequested(request), hits.HasKNN(request)
	head, cursor, visible := len(o.Head) > 0, o.Cursor != nil, o.Visible != 1
	for _, wrong := range [...]struct {
		is   bool
		text string
	}{
		{o.Whole && cursor, "whole cannot be combined with a cursor: it needs search_after"},
		{o.Whole && fused, "whole cannot be combined with score fusion"},
		{o.Whole && knn, "whole cannot be combined with vectors (knn), whose hits bleve finds beside the query"},
		{o.Complete && visible, "complete cannot be combined with visible, which shows members on other pages"},
		{head && visible, "head cannot be combined with visible: it says which one hit of a group is shown"},
		{head && byKey, "head cannot be combined with search_after or search_before: " +
			"the hit that is shown has another key than the place of its group"},
		{cursor && byKey, "a cursor cannot be combined with search_after or search_before"},
		{fused && request.Params == nil, "score fusion needs params with a score_window_size, of all pages that will be " +
			"asked for, got none: each page would have a ranking of its own"},
	} {
		if wrong.is {
			return errors.New("collapse: " + wrong.text)
		}
	}
	if cursor && request.From != 0 {
		return fmt.Errorf("collapse: a cursor needs from 0, got %d", request.From)
	}
	return o.Cursor.check()
}
