package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// The whole form shows what the page form shows, and has every count right on every
// page.
func TestWholeAgainstOracle(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(31))
	match := bleve.NewMatchQuery("common w7")
	match.SetField("body")
	for _, by := range [][]string{nil, {"_id"}, {"-version", "-_score"}, {"-_id"}} {
		for _, o := range []collapse.Options{
			{Whole: true},
			{Whole: true, Visible: 2},
			{Whole: true, Mode: collapse.Annotate},
			{Whole: true, Missing: collapse.GroupMissing},
		} {
			t.Run(fmt.Sprintf("%v,%s,%d,%s", by, o.Mode, o.Visible, o.Missing), func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequestOptions(match, 11, 0, false)
				if by != nil {
					r.SortBy(by)
				}
				checkWhole(t, index, r, o)
			})
		}
	}
}

func checkWhole(t *testing.T, index bleve.Index, r *bleve.SearchRequest, o collapse.Options) {
	t.Helper()
	want, groups := modesOracle(t, index, r, o)
	hidden := -len(want)
	for _, g := range groups {
		hidden += len(g)
	}
	var got []string
	for {
		res, err := collapse.Search(context.Background(), index, r, o)
		if err != nil {
			t.Fatal(err)
		}
		if res.Total != uint64(len(want)) || res.TotalGroups != len(groups) || res.TotalGroupsRelation != collapse.Exact || res.Hidden != hidden {
			t.Fatalf("total %d, %d groups (%s), %d hidden; want %d, %d (eq), %d",
				res.Total, res.TotalGroups, res.TotalGroupsRelation, res.Hidden, len(want), len(groups), hidden)
		}
		for _, g := range slices.Concat(res.Groups, res.Earlier) {
			ids := group{g.Head.ID}
			for _, m := range g.Members {
				ids = append(ids, m.ID)
			}
			if !slices.ContainsFunc(groups, func(want group) bool { return slices.Equal(ids, want) }) {
				t.Fatalf("%v is no group", ids)
			}
		}
		for _, hit := range res.Hits {
			got = append(got, hit.ID)
		}
		if len(res.Hits) < r.Size {
			break
		}
		if o.Visible == 2 { // by either way of paging
			r.From += r.Size
		} else {
			r.SearchAfter = res.Hits[len(res.Hits)-1].Sort
			for i, part := range r.SearchAfter {
				if part == "_score" {
					r.SearchAfter[i] = fmt.Sprint(res.Hits[len(res.Hits)-1].Score)
				}
			}
			if len(r.Sort) < len(r.SearchAfter) {
				r.Sort = append(r.Sort, &search.SortDocID{})
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("shows %d hits\n%v\nwant %d\n%v", len(got), got, len(want), want)
	}
}

func TestWholeLimits(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(32))
	request := func() *bleve.SearchRequest { return bleve.NewSearchRequest(bleve.NewMatchAllQuery()) }
	// Beyond the budget the page is right, and the counts say so.
	page, err := collapse.Search(context.Background(), index, request(), collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := collapse.Search(context.Background(), index, request(), collapse.Options{Whole: true, Budget: 50})
	if err != nil {
		t.Fatal(err)
	}
	if res.TotalGroupsRelation != collapse.AtLeast || len(res.Hits) != 10 {
		t.Errorf("beyond the budget: %d hits, relation %s", len(res.Hits), res.TotalGroupsRelation)
	}
	for i, hit := range res.Hits {
		if hit.ID != page.Hits[i].ID {
			t.Errorf("beyond the budget: hit %d is %s, want %s", i, hit.ID, page.Hits[i].ID)
		}
	}
	after := request()
	after.SortBy([]string{"_id"})
	after.SearchAfter = []string{"d1"}
	if _, err := collapse.Search(context.Background(), index, after, collapse.Options{Whole: true, Budget: 50}); !errors.Is(err, collapse.ErrTooMany) {
		t.Errorf("beyond the budget, search_after: got error %v", err)
	}
	for _, tt := range []struct {
		x    bleve.Index
		o    collapse.Options
		want string
	}{
		{index, collapse.Options{Whole: true, Mode: collapse.Demote}, `wanted no mode "demote"`},
		{index, collapse.Options{Whole: true, Cursor: &collapse.Cursor{}}, "wanted search_after, got a cursor"},
		{bleve.NewIndexAlias(index, newIndex(t, nil)), collapse.Options{Whole: true}, "wanted one index"},
		{index, collapse.Options{Whole: true, Rule: &signature.Rule{Lanes: 200}}, "as many as the sketch"},
	} {
		if _, err := collapse.Search(context.Background(), tt.x, request(), tt.o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want one with %q", err, tt.want)
		}
	}
}
