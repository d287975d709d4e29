package collapse

import (
	"encoding/json"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
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

// InnerResult is what InnerHits asks for, of one group.
type InnerResult struct {
	Hits search.DocumentMatchCollection `json:"hits"`

	// Total is how many hidden hits of the group were met: all if the result is Complete, or its TotalGroupsRelation
	// is bleve.TotalRelationEq.
	Total int `json:"total_hits"`
}

// UnmarshalJSON fills i from JSON; unknown members are errors.
func (i *InnerHits) UnmarshalJSON(data []byte) error {
	type plain InnerHits
	v := struct {
		*plain
		Sort []json.RawMessage `json:"sort"`
	}{plain: &plain{Size: 3}}
	if err := strict.Decode(data, &v); err != nil {
		return fmt.Errorf("inner_hits: %w", err)
	}
	order, err := indexes.Order(fmt.Sprintf("inner_hits %q: sort", v.Name), v.Sort)
	if err == nil {
		*i = InnerHits(*v.plain)
		i.Sort = order
	}
	return err
}

// checkInner returns an error for inner hits that cannot be answered.
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
