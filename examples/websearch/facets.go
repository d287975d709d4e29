package main

import (
	"math"
	"slices"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/numeric"
	"github.com/blevesearch/bleve/v2/search/query"
)

// maxValues is the most values that a facet shows, the most frequent ones.
const maxValues = 8

// facet is a field whose values narrow the results.
type facet struct {
	Field, Name string
	Values      []facetValue
}

// facetValue is a value, and the query for the documents that have it.
type facetValue struct {
	Text  string
	query query.Query
	docs  uint64
}

// findFacets finds the values that the index has.
func findFacets(index bleve.Index) ([]facet, error) {
	var facets []facet
	for _, f := range []struct {
		field, name string
		value       func(term, field string) (facetValue, bool)
	}{{"project", "Project", keyword}, {"version", "Version", number}} {
		dict, err := index.FieldDict(f.field)
		if err != nil {
			return nil, err
		}
		found := facet{Field: f.field, Name: f.name}
		for {
			entry, err := dict.Next()
			if err != nil {
				return nil, err
			}
			if entry == nil {
				break
			}
			if v, ok := f.value(entry.Term, f.field); ok {
				v.docs = entry.Count
				found.Values = append(found.Values, v)
			}
		}
		if err := dict.Close(); err != nil {
			return nil, err
		}
		if len(found.Values) > maxValues {
			slices.SortStableFunc(found.Values, func(a, b facetValue) int { return int(b.docs) - int(a.docs) })
			found.Values = found.Values[:maxValues]
		}
		if len(found.Values) > 1 {
			facets = append(facets, found)
		}
	}
	return facets, nil
}

func keyword(term, field string) (facetValue, bool) {
	q := bleve.NewTermQuery(term)
	q.SetField(field)
	return facetValue{Text: term, query: q}, term != ""
}

// number reads a term of a numeric field. Terms for ranges are no values.
func number(term, field string) (facetValue, bool) {
	code := numeric.PrefixCoded(term)
	if shift, err := code.Shift(); err != nil || shift != 0 {
		return facetValue{}, false
	}
	bits, err := code.Int64()
	if err != nil {
		return facetValue{}, false
	}
	v, yes := numeric.Int64ToFloat64(bits), true
	if v == 0 || math.IsNaN(v) {
		return facetValue{}, false
	}
	q := bleve.NewNumericRangeInclusiveQuery(&v, &v, &yes, &yes)
	q.SetField(field)
	return facetValue{Text: strconv.FormatFloat(v, 'f', -1, 64), query: q}, true
}
