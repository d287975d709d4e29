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

	"github.com/neardup/bleve-neardup/internal/fields"
)

// Leaves returns the indexes that hits come from: the members of bleve's own alias and of those in it, or the one
// index.
func (h *Hits) Leaves() (all []bleve.Index) {
	if h.members == nil {
		return []bleve.Index{h.index.anyIndex}
	}
	for _, m := range h.members.members {
		all = append(all, m.Leaves()...)
	}
	return all
}

// Joint searches all leaves at once for the caller's page of what q makes of the matches of the caller's query, and
// counts facets if that is asked for. around makes the search of each leaf, by page, in a context of its own. Joint
// returns also which leaf each hit is of.
func (h *Hits) Joint(ctx context.Context, q query.Query, facets bool,
	around func(ctx context.Context, leaf int, page func(context.Context) error) error,
) (*bleve.SearchResult, map[*search.DocumentMatch]int, error) {
	leaves := h.Leaves()
	each := *h.caller
	each.Query = q
	if !facets {
		each.Facets = nil
	}
	if len(leaves) > 1 {
		each.From, each.Size = 0, h.caller.From+h.caller.Size
	}
	// bleve looks into the caller's query for what its members have to know of each other.
	r := &bleve.SearchRequest{
		Query: h.caller.Query, Sort: h.Order(), Facets: each.Facets, Explain: each.Explain, Score: each.Score,
	}
	lists := make([]search.DocumentMatchCollection, len(leaves))
	res, err := ask(ctx, leaves, h.index.Mapping(), r, func(ctx context.Context, n int, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
		own := each
		own.Facets, own.PreSearchData = r.Facets, r.PreSearchData
		var res *bleve.SearchResult
		err := around(ctx, n, func(ctx context.Context) (err error) {
			res, err = h.page(ctx, leaves[n], &own)
			return err
		})
		if err != nil {
			return nil, err
		}
		lists[n], res.Hits = res.Hits, nil
		return res, nil
	})
	if err != nil {
		return nil, nil, err
	}
	of := make(map[*search.DocumentMatch]int)
	for n, list := range lists {
		for _, hit := range list {
			of[hit] = n
		}
	}
	hits := slices.Concat(lists...)
	if len(leaves) > 1 {
		slices.SortStableFunc(hits, Compare(h.Order()))
		if h.caller.SearchBefore != nil {
			hits = hits[max(0, len(hits)-h.caller.Size):]
		} else {
			hits = hits[min(h.caller.From, len(hits)):]
			hits = hits[:min(h.caller.Size, len(hits))]
		}
	}
	res.Hits = append(search.DocumentMatchCollection{}, hits...)
	return res, of, nil
}

// page searches one index for a page, with all that r asks for, ties in the order of the ids.
func (h *Hits) page(ctx context.Context, x bleve.Index, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	r.Sort = Order(r.Sort)
	if r.SearchAfter == nil && r.SearchBefore == nil && r.Size > 0 && ranksHere(ctx, x, r, r.Sort) {
		l, err := newLocal(Watch(x), h.options.Field, fields.Options{}, r)
		if err != nil {
			return nil, err
		}
		if l != nil {
			defer l.close()
			if res, err := l.page(ctx, r); res != nil || err != nil {
				return res, err
			}
		}
	}
	r.Sort = ByIDAtLast(r.Sort)
	r.SearchAfter, r.SearchBefore = keysOf(r, r.Sort)
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	return x.SearchInContext(ctx, r)
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

// fix leaves as many terms of facets that were counted as are asked for.
func fix(counted search.FacetResults, asked bleve.FacetsRequest) {
	for name, f := range asked {
		counted.Fixup(name, f.Size)
	}
}

// CountsFacets reports whether the caller asks for facets.
func (h *Hits) CountsFacets() bool { return len(h.caller.Facets) > 0 }

// Facets counts the caller's facets of the documents of some ids of each leaf.
func (h *Hits) Facets(ctx context.Context, ids [][]string) (all search.FacetResults, err error) {
	for i, x := range h.Leaves() {
		found, err := x.SearchInContext(ctx, &bleve.SearchRequest{Query: query.NewDocIDQuery(ids[i]), Facets: unlimited(h.caller.Facets)})
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = found.Facets
		default:
			all.Merge(found.Facets)
		}
	}
	fix(all, h.caller.Facets)
	return all, nil
}
