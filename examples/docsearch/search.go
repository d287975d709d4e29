package main

import (
	"context"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// runs is how often each search is timed; the medians are shown.
const runs = 21

// answer is what is shown for a query, and the form of --json.
type answer struct {
	Query string         `json:"query"`
	Page  int            `json:"page"`
	Size  int            `json:"size"`
	Rule  signature.Rule `json:"rule"`

	TotalHits           uint64  `json:"total_hits"`
	Plain               []hit   `json:"plain"`
	Groups              []group `json:"groups"`
	TotalGroups         int     `json:"total_groups"`
	TotalGroupsRelation string  `json:"total_groups_relation"` // "eq" or "gte"
	HitsWalked          int     `json:"hits_walked"`
	Hidden              int     `json:"hidden"`

	Timings timings     `json:"timings"`
	Index   *pages.Made `json:"index,omitempty"`
}

type hit struct {
	ID    string  `json:"id"`
	Title string  `json:"title,omitempty"`
	Score float64 `json:"score"`

	// CopyOf is the head that hides a plain hit.
	CopyOf string `json:"copy_of,omitempty"`
}

type group struct {
	hit
	Copies []copied `json:"copies"`
}

// copied is a hidden hit, and how it compares with its head. It has no title:
// collapse.Search loads the fields of heads alone.
type copied struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
	signature.Match
}

type timings struct {
	PlainMS     float64 `json:"plain_ms"`
	CollapsedMS float64 `json:"collapsed_ms"`
	Runs        int     `json:"runs"`
}

// request asks for a page of what matches the words.
func request(words string, o options) *bleve.SearchRequest {
	r := bleve.NewSearchRequestOptions(pages.Match(words), o.size, (o.page-1)*o.size, false)
	r.Fields = []string{"title"}
	r.SortBy(pages.Order)
	return r
}

// ask searches both ways.
func ask(ctx context.Context, index bleve.Index, words string, o options) (*answer, error) {
	var (
		plain     *bleve.SearchResult
		collapsed *collapse.Result
	)
	searches := []func() error{
		func() (err error) {
			plain, err = index.SearchInContext(ctx, request(words, o))
			return err
		},
		func() (err error) {
			collapsed, err = collapse.Search(ctx, index, request(words, o), collapse.Options{Rule: o.rule})
			return err
		},
	}
	took, err := clock(searches)
	if err != nil {
		return nil, err
	}
	a := &answer{
		Query: words, Page: o.page, Size: o.size, Rule: o.rule,
		TotalHits:           plain.Total,
		TotalGroups:         collapsed.TotalGroups,
		TotalGroupsRelation: collapsed.TotalGroupsRelation,
		Hidden:              collapsed.Hidden,
		HitsWalked:          collapsed.TotalGroups + collapsed.Hidden,
		Timings:             timings{PlainMS: pages.Milliseconds(took[0]), CollapsedMS: pages.Milliseconds(took[1]), Runs: runs},
	}
	// A plain hit may be a copy that a page before has listed.
	before := request(words, o)
	before.From, before.Size = 0, before.From+before.Size
	all, err := collapse.Search(ctx, index, before, collapse.Options{Rule: o.rule})
	if err != nil {
		return nil, err
	}
	a.fill(plain, collapsed, all.Groups)
	return a, nil
}

// fill sets the hits of both lists; all are the groups up to this page.
func (a *answer) fill(plain *bleve.SearchResult, collapsed *collapse.Result, all []collapse.Group) {
	heads := make(map[string]string)
	for _, g := range all {
		for _, m := range g.Members {
			heads[m.ID] = g.Head.ID
		}
	}
	a.Plain, a.Groups = []hit{}, []group{} // [] rather than null in JSON
	for _, d := range plain.Hits {
		h := newHit(d)
		h.CopyOf = heads[d.ID]
		a.Plain = append(a.Plain, h)
	}
	for d, place := range collapsed.All() {
		g := group{hit: newHit(d), Copies: []copied{}}
		for _, m := range place.Copies {
			g.Copies = append(g.Copies, copied{m.ID, m.Score, m.Match})
		}
		a.Groups = append(a.Groups, g)
	}
}

func newHit(d *search.DocumentMatch) hit {
	title, _ := d.Fields["title"].(string)
	return hit{ID: d.ID, Title: title, Score: d.Score}
}

// clock runs the functions in turn, once to warm them, and returns the median of
// what each of them took then.
func clock(functions []func() error) ([]time.Duration, error) {
	took := make([][]time.Duration, len(functions))
	for run := range runs + 1 {
		for i, f := range functions {
			start := time.Now()
			if err := f(); err != nil {
				return nil, err
			}
			if run > 0 {
				took[i] = append(took[i], time.Since(start))
			}
		}
	}
	medians := make([]time.Duration, len(functions))
	for i, t := range took {
		slices.Sort(t)
		medians[i] = t[len(t)/2]
	}
	return medians, nil
}
