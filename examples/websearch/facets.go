package main

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"

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

// number reads a term of a numeric field. Those that stand for ranges are no values.
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

// query is what st asks for, its filters among it. Filters do not change scores.
func (s *site) query(st state) (query.Query, error) {
	q := bleve.NewBooleanQuery()
	q.AddMust(matches(st.Query))
	var filters []query.Query
	for _, f := range s.facets {
		chosen := st.Filters[f.Field]
		if chosen == "" {
			continue
		}
		i := slices.IndexFunc(f.Values, func(v facetValue) bool { return v.Text == chosen })
		if i < 0 {
			return nil, failure{http.StatusBadRequest, f.Name + ": there is no value " + strconv.Quote(chosen) + "."}
		}
		filters = append(filters, f.Values[i].query)
	}
	if len(filters) > 0 {
		q.AddFilter(bleve.NewConjunctionQuery(filters...))
	}
	return q, nil
}

// counted is a facet of a result.
type counted struct {
	Name   string
	Values []countedValue
}

// countedValue is a value and the number of results that it leads to.
type countedValue struct {
	Text   string
	Count  uint64
	Chosen bool
	To     state // with the value, or without it if it is chosen
}

// count counts what each value leads to. Among the documents that have a value other
// copies may be heads than among all, so the counts of one facet may add up to more
// than there are results: each is what one sees behind the link.
func (s *site) count(ctx context.Context, st state) ([]counted, error) {
	all := make([]counted, len(s.facets))
	failed := make([]error, len(s.facets)*maxValues)
	var wait sync.WaitGroup
	for i, f := range s.facets {
		all[i] = counted{f.Name, make([]countedValue, len(f.Values))}
		for j, v := range f.Values {
			wait.Go(func() {
				with := st.On(1).filtered(f.Field, v.Text)
				result, err := s.find(ctx, with, 0)
				if err != nil {
					failed[i*maxValues+j] = err
					return
				}
				value := countedValue{Text: v.Text, Count: result.Total, Chosen: st.Filters[f.Field] == v.Text, To: with}
				if value.Chosen {
					value.To = st.On(1).filtered(f.Field, "")
				}
				all[i].Values[j] = value
			})
		}
	}
	wait.Wait()
	return all, errors.Join(failed...)
}
