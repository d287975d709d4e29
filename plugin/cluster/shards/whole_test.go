package shards_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// told is what a result says, without scores, the names of shards, and whether families were found by then.
func told(t *testing.T, r *collapse.Result) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range []string{"index", "score", "status", "request", "took", "cost", "max_score", "families"} {
				delete(v, name)
			}
			for _, of := range v {
				strip(of)
			}
		case []any:
			for _, of := range v {
				strip(of)
			}
		}
	}
	strip(v)
	data, err = json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The whole form over local shards says what it says of one index: groups, totals, facets, on every page. Over HTTP it is an error.
func TestWhole(t *testing.T) {
	t.Parallel()
	docs := neartest.Shipped(t)
	docs = slices.DeleteFunc(docs, func(d neartest.Doc) bool {
		_, name, _ := strings.Cut(d.ID, "/")
		return d.Fields["version"].(float64) < 15 || crc32.ChecksumIEEE([]byte(name))%8 > 0 // both versions or none
	})
	three := locals(t, 3)
	one, served := newTest(t, shards.FailClosed, locals(t, 1)...), newTest(t, shards.FailClosed, three...)
	fill(t, one, docs)
	fill(t, served, docs)
	match := bleve.NewMatchQuery("compiler")
	match.SetField("text")
	remote := newTest(t, shards.FailClosed, overHTTP(t, three)...)
	_, err := remote.Search(t.Context(), bleve.NewSearchRequest(match), collapse.Options{Whole: true})
	if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "whole needs a local index or an alias of local ones") {
		t.Errorf("over HTTP: got error %v", err)
	}
	newest := search.SortOrder{&search.SortField{Field: "version", Desc: true}}
	for i, o := range []collapse.Options{
		{},
		{Head: newest},
		{Within: []string{"project"}, Visible: 2},
		{By: &collapse.By{Field: "project"}, Visible: -1},
		{By: &collapse.By{Field: "version", Or: true, Most: 9}},
	} {
		o.Whole = true
		r := bleve.NewSearchRequestOptions(match, 10, 0, false)
		r.SortBy([]string{[]string{"version", "-version"}[i%2], "_id"})
		r.Fields, r.Highlight = []string{"version"}, bleve.NewHighlight()
		r.AddFacet("projects", bleve.NewFacetRequest("project", 1))
		o.InnerHits = []collapse.InnerHits{{Name: "some", Size: 2, Fields: []string{"version"}}}
		for n := 0; ; n++ {
			want, err := one.Search(t.Context(), r, o)
			got, err2 := served.Search(t.Context(), r, o)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if a, b := told(t, got), told(t, want); a != b {
				t.Fatalf("%d, page %d: got\n%.3000s\nwant\n%.3000s", i, n, a, b)
			}
			if n == 0 && (want.TotalGroupsRelation != bleve.TotalRelationEq || want.Total < 5 || want.Hidden == 0 && uint64(want.TotalGroups) == want.Total) {
				t.Errorf("%d: %d groups %s, %d hidden, %d shown: this test shows little", i, want.TotalGroups, want.TotalGroupsRelation, want.Hidden, want.Total)
			}
			if len(want.Hits) == 0 || n == 3 {
				break
			}
			if r.From += r.Size; i%2 == 1 && o.Head == nil {
				last := want.Hits[len(want.Hits)-1]
				r.From, r.SearchAfter = 0, []string{last.DecodedSort[0], last.ID}
			}
		}
	}
}

// A facet counts the hits that stay, however many terms they have.
func TestWholeManyTerms(t *testing.T) {
	t.Parallel()
	const n, twice = 1300, 100
	two := locals(t, 2)
	set := newTest(t, shards.FailClosed, two...)
	batches := map[bleve.Index]*bleve.Batch{}
	for _, x := range two {
		batches[x] = x.NewBatch()
	}
	for i := range n {
		x := two[0] // nearly all
		if i%10 == 0 {
			x = two[1]
		}
		key := i
		if i >= n-twice {
			key -= twice
		}
		if err := batches[x].Index(fmt.Sprint("id", i), map[string]any{"project": fmt.Sprint("p", key)}); err != nil {
			t.Fatal(err)
		}
	}
	for x, batch := range batches {
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
	}
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.AddFacet("projects", bleve.NewFacetRequest("project", 1050))
	res, err := set.Search(t.Context(), r, collapse.Options{Whole: true, By: &collapse.By{Field: "project"}})
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Facets["projects"]; res.Total != n-twice || res.TotalGroups != n-twice || res.TotalGroupsRelation != bleve.TotalRelationEq || f.Total != n-twice || f.Other != n-twice-1050 || f.Terms.Terms()[0].Count != 1 {
		t.Errorf("total %d, %d groups %s, facet of %d, %d of others; want %d", res.Total, res.TotalGroups, res.TotalGroupsRelation, f.Total, f.Other, n-twice)
	}
}
