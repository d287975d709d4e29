package whole

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
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

// Search answers a request by q on x, a local index or an alias of several. The Outcome has no Walk if
// nothing was asked of a Searcher. complete says that it is to tell that the groups are complete.
func Search(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, field string, q Query, complete bool) (*outcome.Outcome, error) {
	leaves, err := leavesOf(x)
	if err == nil {
		err = twice(leaves)
	}
	if err != nil {
		return nil, err
	}
	j := newJoint(request, field, q, len(leaves))
	res, m, all, err := j.ask(ctx, leaves, x.Mapping())
	if j.again.Swap(false) {
		m.close()
		j.tries = false
		res, m, all, err = j.ask(ctx, leaves, x.Mapping())
	}
	defer m.close()
	if err != nil {
		return nil, err
	}
	hits := j.merge(res, m, all)
	for _, hit := range res.Hits {
		ranking.StripFields(hit, request.Fields)
		ranking.StripKey(hit, len(j.each.Sort))
	}
	o := &outcome.Outcome{SearchResult: res, Complete: complete && ranking.Failed(res) == 0}
	if m.set == nil {
		return o, nil
	}
	return o, m.set.tell(o, hits)
}

// tell fills in the groups of the page, and what was counted.
func (s *set) tell(o *outcome.Outcome, hits []found) error {
	o.Walk = s.walk
	o.Total, o.Hidden = s.groups()
	groups, err := s.groupsOf(hits)
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
