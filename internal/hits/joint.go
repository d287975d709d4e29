package hits

import (
	"context"
	"maps"
	"math"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Joint is a search of one local index, or of several at once, for the caller's page of what another query makes of
// the matches of the caller's.
type Joint struct {
	caller *bleve.SearchRequest
	field  string
	each   bleve.SearchRequest // of each index: in the caller's order
}

// Joint returns a search of so many indexes by q. Facets are counted if that is asked for.
func (h *Hits) Joint(q query.Query, indexes int, facets bool) *Joint {
	j := &Joint{caller: h.caller, field: h.options.Field, each: *h.caller}
	j.each.Query, j.each.Sort = q, Order(h.caller.Sort)
	if indexes > 1 {
		j.each.From, j.each.Size = 0, h.caller.From+h.caller.Size
		j.each.Facets = unlimited(h.caller.Facets)
	}
	if !facets {
		j.each.Facets = nil
	}
	return j
}

// unlimited returns facets without a limit of terms: one that is frequent in one index alone can be frequent in all.
func unlimited(asked bleve.FacetsRequest) bleve.FacetsRequest {
	own := maps.Clone(asked)
	for name, f := range own {
		all := *f
		all.Size = math.MaxInt
		own[name] = &all
	}
	return own
}

// Request is what all indexes are asked together: bleve looks into the caller's query for what its members have to know
// of each other.
func (j *Joint) Request() *bleve.SearchRequest {
	return &bleve.SearchRequest{
		Query: j.caller.Query, Sort: Order(j.each.Sort), Facets: j.each.Facets, Explain: j.each.Explain, Score: j.each.Score,
	}
}

// Ranked searches an index for the hits of it that can be on the page, by a ranking of our own. It returns nil if bleve
// has to rank. before is what bleve's alias has told the index.
func (j *Joint) Ranked(ctx context.Context, x bleve.Index, before map[string]any) (*bleve.SearchResult, error) {
	if j.each.SearchAfter != nil || j.each.SearchBefore != nil || j.each.Size == 0 {
		return nil, nil
	}
	r := j.each
	r.PreSearchData = before
	return page(ctx, x, j.field, &r)
}

// Search does what Ranked does by bleve's ranking, in the order of the ids where hits tie.
func (j *Joint) Search(ctx context.Context, x bleve.Index, before map[string]any) (*bleve.SearchResult, error) {
	r := j.each
	r.PreSearchData = before
	r.Sort = ByIDAtLast(Order(r.Sort))
	r.SearchAfter, r.SearchBefore = keysOf(j.caller, r.Sort)
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	return x.SearchInContext(ctx, &r)
}

// Merge puts the page of the hits of all indexes into res.
func (j *Joint) Merge(res *bleve.SearchResult, lists []search.DocumentMatchCollection) {
	hits := slices.Concat(lists...)
	if len(lists) > 1 {
		slices.SortStableFunc(hits, Compare(j.each.Sort))
		if j.caller.SearchBefore != nil {
			hits = hits[max(0, len(hits)-j.caller.Size):]
		} else {
			hits = hits[min(j.caller.From, len(hits)):]
			hits = hits[:min(j.caller.Size, len(hits))]
		}
		fix(res.Facets, j.each.Facets, j.caller.Facets)
	}
	res.Hits = append(search.DocumentMatchCollection{}, hits...)
}

// fix leaves as many terms of facets that were counted as the caller asks for.
func fix(counted search.FacetResults, asked, caller bleve.FacetsRequest) {
	for name := range asked {
		counted.Fixup(name, caller[name].Size)
	}
}

// CountsFacets reports whether the caller asks for facets.
func (h *Hits) CountsFacets() bool { return len(h.caller.Facets) > 0 }

// Facets counts the caller's facets of the documents of some ids of each index.
func (h *Hits) Facets(ctx context.Context, members []bleve.Index, ids [][]string) (all search.FacetResults, err error) {
	for i, x := range members {
		found, err := x.SearchInContext(ctx, &bleve.SearchRequest{Query: indexes.ByID(ids[i]), Facets: unlimited(h.caller.Facets)})
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = found.Facets
		default:
			all.Merge(found.Facets)
		}
	}
	fix(all, h.caller.Facets, h.caller.Facets)
	return all, nil
}
