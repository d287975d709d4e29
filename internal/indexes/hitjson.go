package indexes

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// Hit has all of a hit of bleve's in JSON, whose ids and sort keys are bytes. What might not be UTF-8 stands beside it, under the same
// names in JSON, which hide bleve's.
type Hit struct {
	ID          strict.ID      `json:"id"`
	Sort        []strict.ID    `json:"sort,omitempty"`
	DecodedSort []strict.ID    `json:"decoded_sort,omitempty"`
	Fields      map[string]any `json:"fields,omitempty"`
	*search.DocumentMatch
}

// KeepsIDs reports whether bleve's own JSON keeps the ids of hits.
func KeepsIDs(hits search.DocumentMatchCollection) bool {
	return !slices.ContainsFunc(hits, func(hit *search.DocumentMatch) bool {
		of, _ := hit.Fields[strict.OfField].(string)
		return !strict.Valid(hit.ID, of) || !strict.Valid(hit.Sort...) || !strict.Valid(hit.DecodedSort...)
	})
}

// HitsJSON returns hits as they are written.
func HitsJSON(hits search.DocumentMatchCollection) []Hit {
	all := make([]Hit, len(hits))
	for i, hit := range hits {
		all[i] = Hit{strict.ID(hit.ID), strict.IDs(hit.Sort), strict.IDs(hit.DecodedSort), strict.Fields(hit.Fields), hit}
	}
	return all
}

// HitsOf returns hits that were read, nil for nil.
func HitsOf(all []Hit) search.DocumentMatchCollection {
	if all == nil {
		return nil
	}
	hits := make(search.DocumentMatchCollection, len(all))
	for i, h := range all {
		if hits[i] = h.DocumentMatch; hits[i] == nil {
			hits[i] = new(search.DocumentMatch)
		}
		hits[i].ID, hits[i].Sort, hits[i].DecodedSort = string(h.ID), strict.Strings(h.Sort), strict.Strings(h.DecodedSort)
		hits[i].Fields = strict.Unfields(h.Fields)
	}
	return hits
}

// Order reads a sort order as bleve writes it, nil if it is empty. The error begins with what.
func Order(what string, parts []json.RawMessage) (search.SortOrder, error) {
	order, err := search.ParseSortOrderJSON(parts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if len(order) == 0 {
		return nil, nil
	}
	return order, nil
}
