package paging

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/idquery"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Facets of a page with All are asked for afterwards, by the ids of the hits that stay.

// facets asks each member of x for the facets of those of its matches that stay, which are hits. They might be of
// more matches than there are hits if documents have the same id. It reports whether they are of fewer: then
// the index was written since.
func facets(ctx context.Context, x *ranking.Watched, request *bleve.SearchRequest, hits search.DocumentMatchCollection) (all search.FacetResults, stale bool, err error) {
	alias, err := staying(x.Bare(), hits)
	if err != nil {
		return nil, false, err
	}
	r := ranking.Among(request)
	r.Facets = make(bleve.FacetsRequest, len(request.Facets))
	for name, f := range request.Facets { // a term that is frequent in one member alone can be frequent in all
		each := *f
		each.Size = math.MaxInt32
		r.Facets[name] = &each
	}
	res, err := alias.SearchInContext(ctx, &r)
	if err != nil {
		return nil, false, err
	}
	if res.Total > uint64(len(hits)) {
		return nil, false, errors.New("collapse: whole: facets: wanted members whose documents have ids of their own, or with one index each, got the same id twice: a facet cannot leave out one of them")
	}
	x.Saw(res)
	for name, f := range request.Facets {
		res.Facets.Fixup(name, f.Size)
	}
	return res.Facets, res.Total < uint64(len(hits)), nil
}

// staying returns an alias of all members of x, each with its own hits. A hit whose index is no member is
// one of a member that is an alias itself.
func staying(x bleve.Index, hits search.DocumentMatchCollection) (bleve.Index, error) {
	leaves := indexes.Leaves(x)
	named := make(map[string]bool, len(leaves))
	for _, leaf := range leaves {
		named[leaf.Name()] = true
	}
	ids := make(map[string][]string, len(leaves))
	var others []string
	for _, hit := range hits {
		if named[hit.Index] {
			ids[hit.Index] = append(ids[hit.Index], hit.ID)
		} else {
			others = append(others, hit.ID)
		}
	}
	alias := bleve.NewIndexAlias()
	for _, leaf := range leaves {
		all := slices.Concat(ids[leaf.Name()], others)
		slices.Sort(all)
		alias.Add(among{leaf, slices.Compact(all)})
	}
	if m := x.Mapping(); m != nil {
		return alias, alias.SetIndexMapping(m)
	}
	return alias, nil
}

// anyIndex is bleve.Index under a name that, embedded, hides no method.
type anyIndex = bleve.Index

// among is an index of which only some matches count.
type among struct {
	anyIndex
	ids []string
}

// SearchInContext implements bleve.Index, for a request without hits.
func (a among) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if before, _ := ctx.Value(search.PreSearchKey).(bool); before {
		return a.anyIndex.SearchInContext(ctx, r)
	}
	ids := a.ids
	if len(ids) == 0 {
		ids = []string{""} // which no document has
	}
	var all *bleve.SearchResult
	for some := range slices.Chunk(ids, ranking.MostIDs) {
		asked := *r
		asked.Query = bleve.NewConjunctionQuery(r.Query, idquery.New(some))
		res, err := a.anyIndex.SearchInContext(ctx, &asked)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = res
			continue
		}
		status := all.Status
		if ranking.Failed(res) > ranking.Failed(all) {
			status = res.Status
		}
		own := *status // which Merge adds to: it is one index that was asked
		all.Merge(res)
		all.Status = &own
	}
	return all, nil
}
