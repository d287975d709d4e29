package main

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/highlight/highlighter/html"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// find asks for a page of so many results, with the copies folded or marked.
func (s *site) find(ctx context.Context, st state, size int) (*collapse.Result, error) {
	q, err := s.query(st)
	if err != nil {
		return nil, err
	}
	request := bleve.NewSearchRequestOptions(q, size, (st.Page-1)*size, false)
	request.Fields = docFields
	request.SortBy(pages.Order)
	if size > 0 {
		request.Highlight = bleve.NewHighlightWithStyle(html.Name)
		request.Highlight.AddField("text")
	}
	options := st.collapse()
	if err := s.guard.Price(ctx, s.index, &serve.Request{SearchRequest: request, Collapse: &options}); err != nil {
		return nil, err
	}
	return collapse.Search(ctx, s.index, request, options)
}

// newestFirst is the order in which the newest version of a group is first, and of equal versions
// the best-ranked.
var newestFirst = []string{"-version", "-_score"}

// collapse says how the copies are folded or marked.
func (st state) collapse() collapse.Options {
	o := collapse.Options{Rule: st.Rule, Whole: true}
	if st.All {
		o.Visible = -1
		return o
	}
	if st.Newest {
		o.Head = search.ParseSortOrderStrings(newestFirst)
	}
	if st.One {
		o.By = &collapse.By{Field: "project", Or: true}
	}
	return o
}

// query is what st asks for, its filters among it. Filters do not change scores.
func (s *site) query(st state) (query.Query, error) {
	q := bleve.NewBooleanQuery()
	q.AddMust(ask(st.Query, s.fields))
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
