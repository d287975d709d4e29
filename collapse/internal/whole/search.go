package whole

import (
	"context"
	"errors"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/fields"
)

// CheckRequest returns an error for a request that cannot be collapsed as a whole.
func CheckRequest(request *bleve.SearchRequest) error {
	switch {
	case bleve.IsScoreFusionRequested(request):
		return errors.New("collapse: whole cannot be combined with score fusion")
	case ranking.HasKNN(request):
		return errors.New("collapse: whole cannot be combined with vectors (knn), whose hits bleve finds beside the query")
	}
	return nil
}

// Search answers a request by q, whose Searcher is of this package. What the groups are, which
// bleve's result has no place for, comes in a report. The Outcome has no Walk if nothing was
// asked of the Searcher. complete says that it is to tell that the groups are complete.
func Search(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, field string, q query.Query, complete bool) (*outcome.Outcome, error) {
	report := new(Report)
	defer report.Close()
	found, err := page(ctx, x, request, field, q, report)
	if err != nil {
		return nil, err
	}
	for _, hit := range found.Hits {
		ranking.StripFields(hit, request.Fields)
		ranking.StripKey(hit, len(ranking.Order(request.Sort)))
	}
	o := &outcome.Outcome{SearchResult: found, Complete: complete}
	if report.walk == nil {
		return o, nil
	}
	return o, report.tell(o, x.Name())
}

// page searches for the page of request among the matches of q, in the order of the ids where
// hits tie.
func page(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, field string, q query.Query, report *Report) (*bleve.SearchResult, error) {
	asked := *request
	asked.Query = q
	ctx = report.With(ctx, q)
	if asked.SearchAfter == nil && asked.SearchBefore == nil && asked.Size > 0 {
		if r, _, err := ranking.Page(ctx, x, field, nil, fields.Options{}, &asked, false); r != nil || err != nil {
			return r, err
		}
		report.Close() // bleve ranks, and asks again
	}
	asked.Sort = ranking.ByIDAtLast(ranking.Order(request.Sort))
	asked.SearchAfter, asked.SearchBefore = ranking.Keys(request, asked.Sort)
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	return x.SearchInContext(ctx, &asked)
}

// tell fills in the groups of the page, and what was counted. name is the index's.
func (r *Report) tell(o *outcome.Outcome, name string) error {
	if len(o.Hits) > 0 {
		name = o.Hits[0].Index
	}
	o.Walk = r.walk
	for _, hit := range o.Walk.Damaged {
		hit.Index = name
	}
	foreign := 0
	for _, n := range o.Walk.Foreign {
		foreign += n
	}
	if foreign > 0 {
		o.Walk.Foreign = map[string]int{name: foreign}
	}
	o.Total, o.Hidden = r.Groups()
	groups, err := r.Of(o.Hits)
	if err != nil {
		return err
	}
	seen := make(map[ranking.Place]bool)
	for i, hit := range o.Hits {
		g := groups[i]
		if g == nil {
			o.Groups = append(o.Groups, outcome.Group{Place: ranking.PlaceOf(hit)})
			continue
		}
		head := ranking.PlaceOf(g.Head.DocumentMatch)
		switch {
		case seen[head]:
			continue
		case head == ranking.PlaceOf(hit):
			o.Groups = append(o.Groups, outcome.GroupOf(head, g, g.Members))
		default:
			o.Earlier = append(o.Earlier, outcome.GroupOf(head, g, g.Members))
		}
		seen[head] = true
	}
	return nil
}
