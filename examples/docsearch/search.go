package main

import (
	"context"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// runs is how often each search is timed; the medians are shown.
const runs = 21

// answer is both results for a query.
type answer struct {
	plain     *bleve.SearchResult
	collapsed *collapse.Result
	heads     map[string]string // of the copies up to this page
	took      [2]time.Duration
}

// request asks for a page of what matches the words.
func request(words string, o options) *bleve.SearchRequest {
	r := bleve.NewSearchRequestOptions(pages.Match(words), o.size, (o.page-1)*o.size, false)
	r.Fields = []string{"title"}
	r.SortBy(pages.Order)
	return r
}

// ask searches both ways, in turn.
func ask(ctx context.Context, index bleve.Index, words string, o options) (a answer, err error) {
	var took [2][]time.Duration
	for range runs {
		start := time.Now()
		if a.plain, err = index.SearchInContext(ctx, request(words, o)); err != nil {
			return a, err
		}
		middle := time.Now()
		if a.collapsed, err = collapse.Search(ctx, index, request(words, o), collapse.Options{}); err != nil {
			return a, err
		}
		took[0], took[1] = append(took[0], middle.Sub(start)), append(took[1], time.Since(middle))
	}
	for i, t := range took {
		slices.Sort(t)
		a.took[i] = t[runs/2]
	}
	// A plain hit may be a copy that a page before has listed.
	before := request(words, o)
	before.From, before.Size = 0, before.From+before.Size
	all, err := collapse.Search(ctx, index, before, collapse.Options{})
	if err != nil {
		return a, err
	}
	a.heads = map[string]string{}
	for _, g := range all.Groups {
		for _, m := range g.Members {
			a.heads[m.ID] = g.Head.ID
		}
	}
	return a, nil
}
