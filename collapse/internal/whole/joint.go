package whole

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/hits"
)

// Query is a query whose Searcher is of this package.
type Query interface {
	query.Query
	Inner() query.Query // whose matches it groups
}

// joint is one search of one index or several, whose matches are grouped together.
type joint struct {
	query  Query
	search *hits.Joint
	tries  bool        // to rank in an index, rather than have bleve do so
	again  atomic.Bool // bleve has to rank
}

// ask asks all leaves. It returns no result if that has to be done again.
func (j *joint) ask(ctx context.Context, leaves []leaf, m mapping.IndexMapping) (*bleve.SearchResult, *meeting, []*asked, error) {
	names := make([]string, len(leaves))
	for i, l := range leaves {
		names[i] = l.Name()
	}
	meeting, seats := newMeeting(ctx, names)
	all := j.sit(leaves, seats)
	x, err := together(all, m)
	if err != nil {
		return nil, meeting, all, err
	}
	res, err := x.SearchInContext(ctx, j.search.Request())
	switch {
	case j.again.Load():
		return nil, meeting, all, nil
	case meeting.err != nil:
		return nil, meeting, all, meeting.err
	case err == nil && meeting.set == nil && ctx.Err() != nil:
		return nil, meeting, all, ctx.Err()
	}
	return res, meeting, all, err
}

// together returns one index for all: an alias with the mapping m, if there are several.
func together(all []*asked, m mapping.IndexMapping) (bleve.Index, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	alias := bleve.NewIndexAlias()
	for _, a := range all {
		alias.Add(a)
	}
	if m == nil {
		return alias, nil
	}
	return alias, alias.SetIndexMapping(m)
}

// page searches an index for the hits of it that can be on the page, in the order of the ids where
// they tie.
func (j *joint) page(ctx context.Context, a *asked, before map[string]any) (*bleve.SearchResult, error) {
	if j.tries {
		res, err := j.search.Ranked(ctx, a.anyIndex, before)
		if res != nil || err != nil {
			return res, err
		}
		if a.has() {
			j.again.Store(true)
			return nil, errors.New("collapse: wanted a ranking, got too many matches that tie")
		}
	}
	return j.search.Search(ctx, a.anyIndex, before)
}

// merge puts the hits of all leaves into res, and returns with each which part it is of.
func (j *joint) merge(res *bleve.SearchResult, m *meeting, all []*asked) []found {
	lists := make([]search.DocumentMatchCollection, len(all))
	of := make(map[*search.DocumentMatch]*part)
	for i, a := range all {
		lists[i] = a.hits
		for _, hit := range a.hits {
			of[hit] = m.parts[a.at]
		}
	}
	j.search.Merge(res, lists)
	page := make([]found, len(res.Hits))
	for i, hit := range res.Hits {
		page[i] = found{hit, of[hit]}
	}
	return page
}
