package collapse

import (
	"context"
	"fmt"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/collapse/internal/whole"
	"github.com/neardup/bleve-neardup/internal/fields"
)

// searchWhole answers a request by a Query. What the groups are, which bleve's result has no
// place for, comes in a report. The error wraps ErrTooMany if there are more matches than the
// budget.
func searchWhole(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	if _, err := x.Advanced(); err != nil {
		return nil, invalid(fmt.Errorf("collapse: whole needs one index, since several would be collapsed each for itself: %w", err))
	}
	order := ranking.Order(request.Sort)
	q := NewQuery(request.Query, QueryOptions{
		Field: o.Field, Rule: o.Rule, Within: o.Within, WithinMissing: o.WithinMissing, By: o.By, Head: order.Copy(), Visible: o.Visible, Missing: o.Missing, Budget: o.Budget,
		AllowUnsigned: true, // Search has asked
	})
	q.keep, q.index = o.keep(), x.Name()
	report := new(whole.Report)
	defer report.Close()
	found, err := q.page(ctx, x, request, o.Field, report)
	if err != nil {
		return nil, err
	}
	for _, hit := range found.Hits {
		ranking.StripFields(hit, request.Fields)
		ranking.StripKey(hit, len(order))
	}
	r := &Result{SearchResult: found, Groups: []Group{}, TotalGroupsRelation: bleve.TotalRelationEq}
	if report.Walk() == nil { // nothing was asked of the searcher
		r.TotalGroupsRelation = bleve.TotalRelationGte
		return r, nil
	}
	of, err := r.tell(report, x.Name())
	if err != nil {
		return nil, err
	}
	if len(o.Head) > 0 {
		if err := r.show(ctx, x, request, o, of); err != nil {
			return nil, err
		}
	}
	return r, complete(ctx, x, request, o, r)
}

// page searches for the page of request among the matches of q, in the order of the ids where
// hits tie.
func (q *Query) page(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, field string, report *whole.Report) (*bleve.SearchResult, error) {
	asked := *request
	asked.Query = q
	ctx = report.With(ctx, q)
	if asked.SearchAfter == nil && asked.SearchBefore == nil && asked.Size > 0 {
		if r, _, err := ranking.Page(ctx, x, field, fields.Options{}, &asked, false); r != nil || err != nil {
			return r, err
		}
		report.Close() // bleve ranks, and asks again
	}
	asked.Sort = ranking.ByIDAtLast(ranking.Order(request.Sort))
	asked.SearchAfter, asked.SearchBefore = ranking.Keys(request, asked.Sort)
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	return x.SearchInContext(ctx, &asked)
}

// tell fills in the groups of the page, and what was counted, and returns the hits of the
// groups. name is the index's.
func (r *Result) tell(report *whole.Report, name string) (known, error) {
	if len(r.Hits) > 0 {
		name = r.Hits[0].Index
	}
	w := report.Walk()
	r.count(w)
	for i := range r.Damaged {
		r.Damaged[i].Index = name
	}
	if r.Foreign > 0 {
		r.addForeign(map[string]int{name: r.Foreign})
	}
	r.TotalGroups, r.Hidden = report.Groups()
	groups, err := report.Of(r.Hits)
	if err != nil {
		return nil, err
	}
	seen, of := make(map[Ref]bool), make(known)
	for i, hit := range r.Hits {
		g := groups[i]
		if g == nil {
			r.Groups = append(r.Groups, Group{Head: refOf(hit)})
			continue
		}
		of.add(g)
		head := refOf(g.Head.DocumentMatch)
		switch {
		case seen[head]:
			continue
		case head == refOf(hit):
			r.Groups = append(r.Groups, groupOf(head, g, g.Members))
		default:
			r.Earlier = append(r.Earlier, groupOf(head, g, g.Members))
		}
		seen[head] = true
	}
	return of, nil
}

// complete adds to a result what the options ask for besides.
func complete(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, o Options, r *Result) error {
	for _, want := range o.InnerHits {
		if err := want.answer(ctx, x, request, r); err != nil {
			return fmt.Errorf("collapse: inner_hits %q: %w", want.Name, err)
		}
	}
	if o.Explain == nil {
		return nil
	}
	var pairs []explain.Pair
	var members []*Member
	for g := range r.eachGroup {
		for i := range g.Members[:min(len(g.Members), o.Explain.Most())] {
			m := &g.Members[i]
			pairs = append(pairs, explain.Pair{Head: explain.Document(g.Head), Member: explain.Document(m.Ref)})
			members = append(members, m)
		}
	}
	if err := explain.Pairs(ctx, x, o.Field, *o.Explain, pairs); err != nil {
		return fmt.Errorf("collapse: explain: %w", err)
	}
	for i, m := range members {
		if m.Explanation = pairs[i].Explanation; pairs[i].Err != nil {
			m.Unexplained = pairs[i].Err.Error()
		}
	}
	return nil
}
