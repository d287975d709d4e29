package whole

import (
	"cmp"
	"context"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Search answers a request by q on x, which watches a local index or an alias of several. Each group shows
// the hit that is first in the order head, if there is one. The Outcome has no Walk if nothing was asked of
// a Searcher. complete says that it is to tell that the groups are complete.
func Search(ctx context.Context, watched *ranking.Watched, request *bleve.SearchRequest, field string, q Query, head search.SortOrder, complete bool) (*outcome.Outcome, error) {
	x := watched.Bare()
	leaves, err := leavesOf(x)
	if err == nil {
		err = twice(leaves)
	}
	if err != nil {
		return nil, err
	}
	own := *request
	apart := len(head) > 0 && len(request.Facets) > 0 // facets are counted afterwards
	if apart {
		own.Facets = nil
	}
	j := newJoint(&own, field, q, len(leaves))
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
		stored.Strip(hit, request.Fields)
		ranking.StripKey(hit, len(j.each.Sort))
	}
	o := &outcome.Outcome{SearchResult: res, Complete: complete && ranking.Failed(res) == 0}
	if m.set != nil {
		err = m.set.tell(o, hits)
		if err == nil {
			err = m.set.show(ctx, o, watched, request, head)
		}
	}
	if err == nil && apart {
		o.Facets, err = m.facets(ctx, watched, leaves, request, head)
	}
	return o, err
}

// show makes each group show the hit that is first in the order head.
func (s *set) show(ctx context.Context, o *outcome.Outcome, x bleve.Index, request *bleve.SearchRequest, head search.SortOrder) (err error) {
	if len(head) > 0 {
		err = o.Show(ctx, x, request, head)
	}
	return cmp.Or(err, s.judges.err)
}

// tell fills in the groups of the page, and what was counted.
func (s *set) tell(o *outcome.Outcome, hits []found) error {
	o.Walk = s.walk
	o.Total, o.Hidden = s.groups()
	groups, err := s.groupsOf(hits)
	if err == nil {
		o.List(groups)
	}
	return err
}
