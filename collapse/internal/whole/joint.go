package whole

import (
	"context"
	"errors"
	"runtime/trace"
	"slices"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/fields"
)

// Query is a query whose Searcher is of this package.
type Query interface {
	query.Query
	Inner() query.Query // whose matches it groups
}

// joint is one search of one index or several, whose matches are grouped together.
type joint struct {
	query   Query
	field   string               // the fingerprinted one
	request *bleve.SearchRequest // the caller's
	each    bleve.SearchRequest  // of each index: in the caller's order
	tries   bool                 // to rank in an index, rather than have bleve do so
	again   atomic.Bool          // bleve has to rank
}

// newJoint returns a joint search of so many indexes.
func newJoint(request *bleve.SearchRequest, field string, q Query, indexes int) *joint {
	j := &joint{query: q, field: field, request: request, each: *request, tries: true}
	j.each.Query, j.each.Sort = q, ranking.Order(request.Sort)
	if indexes == 1 {
		return j
	}
	j.each.From, j.each.Size = 0, request.From+request.Size
	j.each.Facets = unlimited(request.Facets)
	return j
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
	// bleve looks into the inner query for what its members have to know of each other.
	own := bleve.SearchRequest{Query: j.query.Inner(), Sort: ranking.Order(j.each.Sort), Facets: j.each.Facets, Explain: j.each.Explain, Score: j.each.Score}
	res, err := x.SearchInContext(ctx, &own)
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
func (j *joint) page(ctx context.Context, a *asked, pre map[string]any) (*bleve.SearchResult, error) {
	r := j.each
	r.PreSearchData = pre
	r.Sort = ranking.Order(r.Sort)
	if j.tries && r.SearchAfter == nil && r.SearchBefore == nil && r.Size > 0 {
		res, _, err := ranking.Page(ctx, a.anyIndex, j.field, fields.Options{}, &r, false)
		if res != nil || err != nil {
			return res, err
		}
		if a.has() {
			j.again.Store(true)
			return nil, errors.New("collapse: wanted a ranking, got too many matches that tie")
		}
	}
	r.SearchAfter, r.SearchBefore = ranking.Keys(j.request, ranking.ByIDAtLast(r.Sort))
	r.Sort = ranking.ByIDAtLast(r.Sort)
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	return a.anyIndex.SearchInContext(ctx, &r)
}

// merge puts the hits of all leaves into res, and returns with each which part it is of.
func (j *joint) merge(res *bleve.SearchResult, m *meeting, all []*asked) []found {
	var hits []found
	for _, a := range all {
		for _, hit := range a.hits {
			hits = append(hits, found{hit, m.parts[a.at]})
		}
	}
	if len(all) > 1 {
		hits = j.merged(hits)
		for name, f := range j.request.Facets {
			res.Facets.Fixup(name, f.Size)
		}
	}
	res.Hits = make(search.DocumentMatchCollection, len(hits))
	for i, hit := range hits {
		res.Hits[i] = hit.DocumentMatch
	}
	return hits
}

// merged returns the page of hits of several indexes.
func (j *joint) merged(hits []found) []found {
	compare := ranking.Compare(j.each.Sort)
	slices.SortStableFunc(hits, func(a, b found) int { return compare(a.DocumentMatch, b.DocumentMatch) })
	if j.request.SearchBefore != nil {
		return hits[max(0, len(hits)-j.request.Size):]
	}
	hits = hits[min(j.request.From, len(hits)):]
	return hits[:min(j.request.Size, len(hits))]
}
