package outcome

import (
	"cmp"
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Inner asks for the hidden members of each group on the page, as package collapse explains.
type Inner struct {
	Size, From int
	Sort       search.SortOrder
	Fields     []string
	Highlight  *bleve.HighlightRequest
}

// InnerHits are hidden members of a group, and how many it has.
type InnerHits struct {
	Hits  search.DocumentMatchCollection
	Total int
}

// Inner returns what i asks for, of each group on the page.
func (o *Outcome) Inner(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, i Inner) ([]InnerHits, error) {
	hidden := o.hidden()
	if len(i.Sort) > 0 && i.Size > 0 {
		if err := i.sort(ctx, x, request, hidden); err != nil {
			return nil, err
		}
	}
	chosen := i.page(hidden)
	hits, err := ranking.Named(ctx, x.SearchInContext, wanting(request, i.Fields, i.Highlight), idsOf(chosen))
	if err != nil {
		return nil, err
	}
	for _, hit := range hits {
		stored.Strip(hit, i.Fields)
		ranking.OwnKey(hit)
	}
	of := byPlace(hits)
	all := make([]InnerHits, len(o.Groups))
	for n := range all {
		all[n] = InnerHits{Hits: search.DocumentMatchCollection{}, Total: len(hidden[n])}
		for _, place := range chosen[n] {
			if hit := of[place]; hit != nil { // else it was deleted since
				all[n].Hits = append(all[n].Hits, hit)
			}
		}
	}
	return all, nil
}

// page returns the part of each group that i asks for.
func (i *Inner) page(groups [][]ranking.Place) [][]ranking.Place {
	chosen := make([][]ranking.Place, len(groups))
	for n, places := range groups {
		places = places[min(i.From, len(places)):]
		chosen[n] = places[:min(i.Size, len(places))]
	}
	return chosen
}

// sort puts the hits of each group in order.
func (i *Inner) sort(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, groups [][]ranking.Place) error {
	r := ranking.Among(request)
	r.Sort = append(i.Sort.Copy(), &search.SortDocID{})
	hits, err := ranking.Named(ctx, x.SearchInContext, r, idsOf(groups))
	if err != nil {
		return err
	}
	rank := ranksOf(hits)
	for _, places := range groups {
		slices.SortStableFunc(places, func(a, b ranking.Place) int { return cmp.Compare(rank[a], rank[b]) })
	}
	return nil
}
