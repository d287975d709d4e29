package main

import "context"

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
func (s *site) count(ctx context.Context, st state) (all []counted, err error) {
	for _, f := range s.facets {
		one := counted{Name: f.Name}
		for _, v := range f.Values {
			chosen, with := st.Filters[f.Field] == v.Text, st.On(1)
			if !chosen {
				with = with.filtered(f.Field, v.Text)
			}
			result, err := s.find(ctx, with, 0)
			if err != nil {
				return nil, err
			}
			if chosen {
				with = st.On(1).filtered(f.Field, "")
			}
			if result.Total > 0 || chosen {
				one.Values = append(one.Values, countedValue{Text: v.Text, Count: result.Total, Chosen: chosen, To: with})
			}
		}
		if len(one.Values) > 0 {
			all = append(all, one)
		}
	}
	return all, nil
}
