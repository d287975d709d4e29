// Package hitjson writes bleve's hits in JSON, and reads them, and sort orders. A Hit is a hit whose
// ids and sort keys are bytes, which a string of JSON cannot hold (package ids).
package hitjson

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// Hit has all of a hit of bleve's. What might not be UTF-8 stands beside it, under the same
// names in JSON, which hide bleve's.
type Hit struct {
	ID          strict.ID      `json:"id"`
	Sort        []strict.ID    `json:"sort,omitempty"`
	DecodedSort []strict.ID    `json:"decoded_sort,omitempty"`
	Fields      map[string]any `json:"fields,omitempty"`
	*search.DocumentMatch
}

// Kept reports whether bleve's own JSON keeps the ids of hits.
func Kept(hits search.DocumentMatchCollection) bool {
	return !slices.ContainsFunc(hits, func(hit *search.DocumentMatch) bool {
		of, _ := hit.Fields[strict.OfField].(string)
		return !strict.Valid(hit.ID, of) || !strict.Valid(hit.Sort...) || !strict.Valid(hit.DecodedSort...)
	})
}

// From returns hits as they are written.
func From(hits search.DocumentMatchCollection) []Hit {
	all := make([]Hit, len(hits))
	for i, hit := range hits {
		all[i] = Hit{strict.ID(hit.ID), strict.IDs(hit.Sort), strict.IDs(hit.DecodedSort), strict.Fields(hit.Fields), hit}
	}
	return all
}

// To returns hits that were read, nil for nil.
func To(all []Hit) search.DocumentMatchCollection {
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
