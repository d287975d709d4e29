package collapse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// InnerHits asks for the hidden hits of each group on the page, with what bleve
// can tell of them. It is for those that the page met; the group's head and other
// visible hits are not among them.
type InnerHits struct {
	// Name is the key of the answer in Group.InnerHits.
	Name string `json:"name"`

	// Size is the most hits of a group; 0 asks for their number alone. In JSON it
	// is 3 if left out.
	Size int `json:"size"`

	// From is how many hits of a group are skipped.
	From int `json:"from,omitempty"`

	// Sort is their order within the group, the order of the request if empty.
	Sort search.SortOrder `json:"sort,omitempty"`

	// Fields and Highlight are as in bleve's request.
	Fields    []string                `json:"fields,omitempty"`
	Highlight *bleve.HighlightRequest `json:"highlight,omitempty"`
}

const defaultInnerSize = 3

// InnerResult is what InnerHits asks for, of one group.
type InnerResult struct {
	Hits search.DocumentMatchCollection `json:"hits"`

	// Total is how many hidden hits of the group were met, and TotalRelation
	// whether those are all.
	Total         int    `json:"total_hits"`
	TotalRelation string `json:"total_relation"`
}

// UnmarshalJSON fills i from JSON; unknown members are errors.
func (i *InnerHits) UnmarshalJSON(data []byte) error {
	type plain InnerHits
	v := struct {
		*plain
		Sort []json.RawMessage `json:"sort"`
	}{plain: &plain{Size: defaultInnerSize}}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("inner_hits: %w", wanted(err))
	}
	order, err := search.ParseSortOrderJSON(v.Sort)
	if err != nil {
		return fmt.Errorf("inner_hits %q: sort: %w", v.Name, err)
	}
	*i = InnerHits(*v.plain)
	i.Sort = order
	return nil
}

func checkInner(all []InnerHits) error {
	names := make(map[string]bool, len(all))
	for _, i := range all {
		switch {
		case i.Name == "" || names[i.Name]:
			return fmt.Errorf("collapse: inner_hits: wanted names that differ, got %q", i.Name)
		case i.Size < 0 || i.From < 0:
			return fmt.Errorf("collapse: inner_hits %q: wanted size and from of 0 or more, got %d and %d", i.Name, i.Size, i.From)
		}
		names[i.Name] = true
	}
	return nil
}

// answer adds what i asks for to the groups of a result.
func (i *InnerHits) answer(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, r *Result) error {
	hidden := r.hidden()
	if len(i.Sort) > 0 && i.Size > 0 {
		if err := i.sort(ctx, x, request, hidden); err != nil {
			return err
		}
	}
	chosen := i.page(hidden)
	asked := ranking.Among(request)
	asked.Fields, asked.Highlight = i.Fields, i.Highlight
	asked.Explain, asked.IncludeLocations = request.Explain, request.IncludeLocations
	hits, err := ranking.Named(ctx, x.SearchInContext, asked, idsOf(chosen))
	if err != nil {
		return err
	}
	byRef := make(map[Ref]*search.DocumentMatch, len(hits))
	for _, hit := range hits {
		ranking.StripFields(hit, i.Fields)
		ranking.OwnKey(hit)
		byRef[refOf(hit)] = hit
	}
	for n := range r.Groups {
		g := &r.Groups[n]
		if g.InnerHits == nil {
			g.InnerHits = make(map[string]*InnerResult)
		}
		in := &InnerResult{Hits: search.DocumentMatchCollection{}, Total: len(hidden[n]), TotalRelation: r.TotalGroupsRelation}
		for _, ref := range chosen[n] {
			if hit := byRef[ref]; hit != nil { // else it was deleted since
				in.Hits = append(in.Hits, hit)
			}
		}
		g.InnerHits[i.Name] = in
	}
	return nil
}

// page returns the part of each group that i asks for.
func (i *InnerHits) page(groups [][]Ref) [][]Ref {
	chosen := make([][]Ref, len(groups))
	for n, refs := range groups {
		refs = refs[min(i.From, len(refs)):]
		chosen[n] = refs[:min(i.Size, len(refs))]
	}
	return chosen
}

// hidden returns the hidden members of each group on the page.
func (r *Result) hidden() [][]Ref {
	hidden := make([][]Ref, len(r.Groups))
	for n, g := range r.Groups {
		for _, m := range g.Members {
			if !m.Visible {
				hidden[n] = append(hidden[n], m.Ref)
			}
		}
	}
	return hidden
}

// sort puts the hits of each group in order.
func (i *InnerHits) sort(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, groups [][]Ref) error {
	r := ranking.Among(request)
	r.Sort = append(i.Sort.Copy(), &search.SortDocID{})
	hits, err := ranking.Named(ctx, x.SearchInContext, r, idsOf(groups))
	if err != nil {
		return err
	}
	rank := make(map[Ref]int, len(hits))
	for n, hit := range hits {
		rank[refOf(hit)] = n
	}
	for _, refs := range groups {
		slices.SortStableFunc(refs, func(a, b Ref) int { return cmp.Compare(rank[a], rank[b]) })
	}
	return nil
}

func idsOf(groups [][]Ref) (ids []string) {
	for _, refs := range groups {
		for _, ref := range refs {
			ids = append(ids, ref.ID)
		}
	}
	return ids
}
