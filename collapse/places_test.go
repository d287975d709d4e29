package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Who writes into the sort key of a hit changes no other hit, of this search or of a
// later one.
func TestHitsOwnTheirKeys(t *testing.T) {
	t.Parallel()
	index := newIndex(t, families(rand.New(rand.NewPCG(93, 94)), 60, 60))
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	other := newIndex(t, nil)
	for name, x := range map[string]bleve.Index{
		"one": index, "alias": bleve.NewIndexAlias(index, other), "parts": bleve.NewIndexAlias(remotely(index), remotely(other)),
		"remote": remote{index},
	} {
		for _, o := range []collapse.Options{{}, {Whole: true}, {Visible: -1}} {
			if o.Whole && (name == "remote" || name == "parts") {
				continue
			}
			for _, explain := range []bool{false, true} {
				ask := func() *collapse.Result {
					t.Helper()
					o := o
					o.InnerHits = []collapse.InnerHits{{Name: "all", Size: 3}}
					r := bleve.NewSearchRequestOptions(match, 20, 0, explain)
					res, err := collapse.Search(context.Background(), x, r, o)
					if err != nil {
						t.Fatal(err)
					}
					return res
				}
				all := keyed(ask())
				for n, hit := range all {
					if len(hit.Sort) > 0 {
						hit.Sort[0] = fmt.Sprint("mine ", n)
					}
				}
				for n, hit := range all {
					if len(hit.Sort) > 0 && hit.Sort[0] != fmt.Sprint("mine ", n) {
						t.Fatalf("%s, %+v: hit %d has the key of another: %q", name, o, n, hit.Sort)
					}
				}
				for n, hit := range keyed(ask()) {
					if len(hit.Sort) > 0 && !slices.Equal(hit.Sort, []string{"_score"}) || n < 20 && len(hit.Sort) == 0 {
						t.Fatalf("%s, %+v: key of hit %d in the next search is %q", name, o, n, hit.Sort)
					}
				}
			}
		}
	}
}

// keyed returns all different hits of a result, those on the page first.
func keyed(r *collapse.Result) (all search.DocumentMatchCollection) {
	all = append(all, r.Hits...)
	add := func(hit *search.DocumentMatch) {
		if !slices.Contains(all, hit) {
			all = append(all, hit)
		}
	}
	for _, g := range slices.Concat(r.Groups, r.Earlier) {
		for i := range g.Members {
			add(g.Members[i].Hit)
		}
		for _, in := range g.InnerHits {
			for _, hit := range in.Hits {
				add(hit)
			}
		}
	}
	return all
}

// A page that begins after what the budget shows is an error, and one after the last
// group is not.
func TestBehindTheBudget(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 60 {
		docs[fmt.Sprintf("d%02d", i)] = page{Body: strings.Repeat(fmt.Sprintf("word%d and others of number %d ", i, i), 4), Version: float64(i)}
	}
	index := newIndex(t, docs)
	for name, x := range map[string]bleve.Index{"one": index, "alias": bleve.NewIndexAlias(index, newIndex(t, nil)), "part": bleve.NewIndexAlias(remotely(index), newIndex(t, nil))} {
		for _, by := range [][]string{{"-_score"}, {"_id"}, {"-version"}} {
			for _, o := range []collapse.Options{{}, {Visible: -1}} {
				for _, tt := range []struct {
					from, size, budget int
					hits               int // -1 for an error
				}{
					{39, 10, 40, 1},
					{35, 10, 40, 5},
					{40, 10, 40, -1},
					{45, 10, 40, -1},
					{math.MaxInt, math.MaxInt, 40, -1},
					{59, 10, 100, 1},
					{60, 10, 100, 0},
					{90, 10, 100, 0},
					{math.MaxInt, math.MaxInt, 100, 0},
					{0, math.MaxInt, 40, 40},
					{7, math.MaxInt, 100, 53},
					{0, math.MaxInt, math.MaxInt, 60},
					{40, 0, 40, 0},
				} {
					r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), tt.size, tt.from, tt.size%2 == 0)
					r.SortBy(by)
					o.Budget = tt.budget
					res, err := collapse.Search(context.Background(), x, r, o)
					if tt.hits < 0 {
						want := fmt.Sprintf("from: wanted less than the 40 hits that a budget of 40 shows, got %d", min(tt.from, indexes.MostHits))
						if !errors.Is(err, collapse.ErrTooMany) || !strings.Contains(err.Error(), want) {
							t.Errorf("%s, %v, %+v, %+v: got error %v, want one with %q", name, by, o, tt, err, want)
						}
						continue
					}
					if err != nil {
						t.Errorf("%s, %v, %+v, %+v: %v", name, by, o, tt, err)
						continue
					}
					relation := bleve.TotalRelationEq
					if tt.budget == 40 {
						relation = bleve.TotalRelationGte
					}
					var told *bleve.SearchRequest // with explain alone, as in bleve
					if r.Explain {
						told = r
					}
					if len(res.Hits) != tt.hits || tt.size > 0 && res.TotalGroupsRelation != relation || res.Request != told || r.Size != tt.size {
						t.Errorf("%s, %v, %+v, %+v: got %d hits, %d groups (%s)", name, by, o, tt, len(res.Hits), res.TotalGroups, res.TotalGroupsRelation)
					}
				}
			}
			// After a key at the end of the budget, too.
			r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 10, 0, false)
			r.SortBy([]string{"_id"})
			for _, key := range []string{"d39", "e"} {
				r.SearchAfter = []string{key}
				if _, err := collapse.Search(context.Background(), x, r, collapse.Options{Budget: 40}); !errors.Is(err, collapse.ErrTooMany) {
					t.Errorf("%s: after %q: got error %v", name, key, err)
				}
			}
		}
	}
	for _, from := range []int{0, 7, math.MaxInt} {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), math.MaxInt, from, false)
		for _, by := range [][]string{nil, {"-version"}} {
			if by != nil {
				r.SortBy(by)
			}
			res, err := collapse.Search(context.Background(), index, r, collapse.Options{Whole: true, Budget: math.MaxInt})
			if err != nil || len(res.Hits) != max(0, 60-from) || res.TotalGroups != 60 {
				t.Errorf("whole, from %d: got %v, error %v", from, res, err)
			}
		}
	}
	// The walk to a key spends of the budget, too.
	r := byID(bleve.NewMatchAllQuery())
	r.Size, r.SearchAfter = 30, []string{"d24"}
	res, err := collapse.Search(context.Background(), index, r, collapse.Options{Budget: 40})
	if err != nil || len(res.Hits) != 15 || res.TotalGroups != 40 || res.TotalGroupsRelation != bleve.TotalRelationGte {
		t.Errorf("after a key at 25, with a budget of 40: got %v, error %v", res, err)
	}
	// A cursor of thousands, and the largest size after it.
	o := collapse.Options{Cursor: &collapse.Cursor{After: []string{"d05"}, Taken: 6}}
	r = byID(bleve.NewMatchAllQuery())
	r.Size = math.MaxInt
	if res, err := collapse.Search(context.Background(), index, r, o); err != nil || len(res.Hits) != 54 {
		t.Errorf("the largest size after a cursor: got %v, error %v", res, err)
	}
}

// The largest size takes memory for what is found, not for what is asked for.
func TestLargestSize(t *testing.T) {
	index := newIndex(t, families(rand.New(rand.NewPCG(97, 98)), 300, 60))
	allocated := func(size int, whole bool, by ...string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), size, 0, false)
		if by != nil {
			r.SortBy(by)
		}
		res, err := collapse.Search(context.Background(), index, r, collapse.Options{Whole: whole})
		if err != nil || res.TotalGroupsRelation != bleve.TotalRelationEq || len(res.Hits) != res.TotalGroups {
			t.Fatalf("got %v, error %v", res, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, whole := range []bool{false, true} {
		for _, by := range [][]string{nil, {"-version"}} {
			allocated(1000, whole, by...) // signatures are read
			some, all := allocated(1000, whole, by...), allocated(math.MaxInt, whole, by...)
			if all > 8*some+8<<20 {
				t.Errorf("whole %v, by %v: %d bytes for all, %d for 1,000", whole, by, all, some)
			}
		}
	}
}
