package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// copies are one family of which members differ by a few words, so that near is not
// transitive, with a document of another kind now and then.
func copies(rnd *rand.Rand, n int) map[string]page {
	docs := map[string]page{}
	text := families(rnd, 1, 100)
	var body string
	for _, p := range text {
		body = p.Body
	}
	for i := range n {
		docs[fmt.Sprintf("c%05d", rnd.IntN(100000))] = page{
			Body: fmt.Sprintf("%s x%d x%d", body, rnd.IntN(12), rnd.IntN(12)), Version: float64(rnd.IntN(4)), Project: fmt.Sprint("p", i%3),
		}
		if i%9 == 0 {
			for id, p := range families(rnd, 1, 60) {
				docs[id] = p
			}
		}
	}
	return docs
}

// What is told of hits and of the search, from fields to facets, is the same as where
// bleve's own results are asked for.
func TestWantTellsAll(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	parts := partsOf(t, 4, copies(rand.New(rand.NewPCG(65, 1)), size(200, 60)))
	match := bleve.NewMatchQuery("common x1 x2")
	match.SetField("body")
	for name, change := range map[string]func(r *bleve.SearchRequest){
		"bare":       func(*bleve.SearchRequest) {},
		"fields":     func(r *bleve.SearchRequest) { r.Fields = []string{"*"} },
		"one field":  func(r *bleve.SearchRequest) { r.Fields = []string{"project"} },
		"highlight":  func(r *bleve.SearchRequest) { r.Highlight = bleve.NewHighlight() },
		"explain":    func(r *bleve.SearchRequest) { r.Explain = true },
		"locations":  func(r *bleve.SearchRequest) { r.IncludeLocations = true },
		"by version": func(r *bleve.SearchRequest) { r.SortBy([]string{"version", "-project"}) },
		"facets":     func(r *bleve.SearchRequest) { r.AddFacet("projects", bleve.NewFacetRequest("project", 5)) },
	} {
		for _, size := range []int{3, 500, 20}[:size(3, 2)] {
			var want string
			all := layouts(parts, &asked)
			for _, layout := range append([]string{"plain"}, slices.Sorted(maps.Keys(all))...) {
				r := bleve.NewSearchRequestOptions(match, size, 2, false)
				change(r)
				res, err := collapse.Search(context.Background(), all[layout], r, collapse.Options{})
				if err != nil {
					t.Fatal(err)
				}
				res.Took, res.Cost, res.Status = 0, 0, nil // cost and status tell of bleve's searches, which differ
				if n := len(res.Hits); n == 0 {
					t.Fatal("no hits")
				}
				text, err := json.Marshal(res)
				if err != nil {
					t.Fatal(err)
				}
				got := string(text)
				if want == "" {
					want = got
				}
				if at := differ(got, want); at >= 0 {
					begin := max(0, at-200)
					t.Errorf("%s, page of %d, %s:\n%.400s\nwant\n%.400s", name, size, layout, got[begin:], want[begin:])
				}
			}
		}
	}
}

// Signatures that cannot be read, that are missing, and of other parameters, count as
// they do without parts.
func TestWantUnreadable(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(66, 1))
	var asked atomic.Int64
	var parts []bleve.Index
	for i := range 3 {
		docs := map[string]page{} // the same in each part, by other ids
		for id, doc := range families(rand.New(rand.NewPCG(67, 1)), size(90, 45), 60) {
			docs[id+fmt.Sprint(i)] = doc
		}
		documents := spoiled(t, rnd, docs)
		x := stored(t, []string{"unguarded", "scorch", "upside_down"}[i], documents)
		x.SetName(fmt.Sprint("part", i))
		parts = append(parts, x)
	}
	all := layouts(parts, &asked)
	for _, missing := range []collapse.Missing{collapse.KeepMissing, collapse.DropMissing, collapse.GroupMissing} {
		search := func(layout string) *collapse.Result {
			r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 30, 0, false)
			res, err := collapse.Search(context.Background(), all[layout], r, collapse.Options{Missing: missing})
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		want := search("plain")
		if want.Unsigned == 0 || want.Foreign == 0 || len(want.Damaged) == 0 || want.Hidden == 0 {
			t.Fatalf("%s: %+v: this test shows nothing", missing, want)
		}
		for layout := range all {
			got := search(layout)
			if got.Unsigned != want.Unsigned || got.Foreign != want.Foreign || got.Hidden != want.Hidden || got.TotalGroups != want.TotalGroups {
				t.Errorf("%s, %s: %d unsigned, %d foreign, %d hidden, %d groups; want %d, %d, %d, %d", missing, layout,
					got.Unsigned, got.Foreign, got.Hidden, got.TotalGroups, want.Unsigned, want.Foreign, want.Hidden, want.TotalGroups)
			}
			if !slices.EqualFunc(got.Damaged, want.Damaged, sameDamage) {
				t.Errorf("%s, %s: damaged are %v\nwant %v", missing, layout, got.Damaged, want.Damaged)
			}
		}
	}
}

func sameDamage(a, b collapse.Damage) bool {
	for _, kind := range []error{signature.ErrMalformed, signature.ErrVersion} {
		if errors.Is(a.Err, kind) != errors.Is(b.Err, kind) {
			return false
		}
	}
	return a.Ref == b.Ref && a.Reason == b.Reason
}

// differ returns where a and b differ, or -1.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return min(len(a), len(b))
	}
	return -1
}
