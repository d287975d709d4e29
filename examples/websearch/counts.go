package main

import (
	"context"
	"errors"
	"slices"
	"sync"
)

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

// count counts the results that each value leads to. Other copies can be heads among the
// documents that have a value than among all. So the counts of one facet can add up to
// more than there are results: each is what its link shows. Values that lead nowhere are left out.
func (s *site) count(ctx context.Context, st state) ([]counted, error) {
	all := make([]counted, len(s.facets))
	failed := make([]error, len(s.facets)*maxValues)
	var wait sync.WaitGroup
	for i, f := range s.facets {
		all[i] = counted{f.Name, make([]countedValue, len(f.Values))}
		for j, v := range f.Values {
			wait.Go(func() {
				chosen, with := st.Filters[f.Field] == v.Text, st.On(1)
				if !chosen {
					with = with.filtered(f.Field, v.Text)
				}
				result, err := s.find(ctx, with, 0)
				if err != nil {
					failed[i*maxValues+j] = err
					return
				}
				value := countedValue{Text: v.Text, Count: result.Total, Chosen: chosen, To: with}
				if chosen {
					value.To = st.On(1).filtered(f.Field, "")
				}
				all[i].Values[j] = value
			})
		}
	}
	wait.Wait()
	for i := range all {
		all[i].Values = slices.DeleteFunc(all[i].Values, func(v countedValue) bool { return v.Count == 0 && !v.Chosen })
	}
	return slices.DeleteFunc(all, func(c counted) bool { return len(c.Values) == 0 }), errors.Join(failed...)
}
