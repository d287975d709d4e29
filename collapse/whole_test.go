package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
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
			{},
			{Visible: 2},
			{Visible: -1},
			{Missing: collapse.DropMissing},
			{Missing: collapse.GroupMissing},
			{Rule: signature.Rule{Lanes: 97, Mode: signature.SketchOnly}},
			{Rule: signature.Rule{Hamming: 8, Mode: signature.SimhashOnly}, Visible: 2},
		} {
			t.Run(fmt.Sprintf("%v,%d,%s", by, o.Visible, o.Missing), func(t *testing.T) {
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

// checkWhole holds every page of the whole form against the oracle: what is shown,
// the groups, every count, and a facet.
func checkWhole(t *testing.T, index bleve.Index, r *bleve.SearchRequest, o collapse.Options) {
	t.Helper()
	checkAllWhole(t, index, r, o, oracle(t, index, r, o))
}

// checkAllWhole compares all pages of the whole form with what is known to be right.
func checkAllWhole(t *testing.T, index bleve.Index, r *bleve.SearchRequest, o collapse.Options, want truth) {
	t.Helper()
	byHead := map[string]group{}
	for _, g := range want.groups {
		byHead[g[0]] = g
	}
	page := *r
	if page.Sort = r.Sort.Copy(); !page.Sort.RequiresDocID() {
		page.Sort = append(page.Sort, &search.SortDocID{})
	}
	page.AddFacet("project", bleve.NewFacetRequest("project", 1000))
	o.Whole = true
	var got []string
	for {
		res, err := collapse.Search(context.Background(), index, &page, o)
		if err != nil {
			t.Fatal(err)
		}
		if res.Total != uint64(len(want.shown)) || res.TotalGroups != len(want.groups) || res.TotalGroupsRelation != bleve.TotalRelationEq ||
			res.Hidden != want.hidden || res.Unsigned != want.unsigned || !maps.Equal(res.Valueless, want.lacking) || res.Foreign != want.foreign || len(res.Damaged) != len(want.damaged) {
			t.Fatalf("total %d, %d groups (%s), %d hidden, %d unsigned; want %d, %d (eq), %d, %d", res.Total, res.TotalGroups, res.TotalGroupsRelation,
				res.Hidden, res.Unsigned, len(want.shown), len(want.groups), want.hidden, want.unsigned)
		}
		terms := res.Facets["project"].Terms.Terms()
		for _, term := range terms {
			if term.Count != want.projects[term.Term] {
				t.Fatalf("facet %s: %d, want %d", term.Term, term.Count, want.projects[term.Term])
			}
		}
		if len(terms) != len(want.projects) {
			t.Fatalf("the facet has %d terms, want %d", len(terms), len(want.projects))
		}
		for _, g := range slices.Concat(res.Groups, res.Earlier) {
			if ids := append(group{g.Head.ID}, memberIDs(g)...); !slices.Equal(ids, byHead[g.Head.ID]) {
				t.Fatalf("group %q, want %q", ids, byHead[g.Head.ID])
			}
			for i := range g.Members {
				if m := toldOf(&g.Members[i]); m != want.members[m.ID] {
					t.Fatalf("of %s it is told %+v, want %+v", m.ID, m, want.members[m.ID])
				}
			}
		}
		for _, hit := range res.Hits {
			got = append(got, hit.ID)
		}
		if len(res.Hits) < page.Size {
			break
		}
		if o.Visible == 2 { // by either way of paging
			page.From += page.Size
			continue
		}
		page.SearchAfter = key(res.Hits[len(res.Hits)-1])
	}
	if !slices.Equal(got, want.shown) {
		t.Errorf("shows %d hits\n%v\nwant %d\n%v", len(got), got, len(want.shown), want.shown)
	}
}

func TestWholeLimits(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(32))
	request := func() *bleve.SearchRequest { return bleve.NewSearchRequest(bleve.NewMatchAllQuery()) }
	if _, err := collapse.Search(context.Background(), index, request(), collapse.Options{Whole: true, Budget: 50}); !errors.Is(err, collapse.ErrTooMany) {
		t.Errorf("beyond the budget: got error %v", err)
	}
	for _, tt := range []struct {
		x    bleve.Index
		o    collapse.Options
		want string
	}{
		{index, collapse.Options{Whole: true, Cursor: &collapse.Cursor{}}, "whole cannot be combined with a cursor"},
		{index, collapse.Options{Whole: true, Rule: signature.Rule{Lanes: 200}}, "as many as its sketches have"},
		{remotely(index), collapse.Options{Whole: true}, "whole needs a local index or an alias of local ones"},
		{bleve.NewIndexAlias(index, remotely(index)), collapse.Options{Whole: true}, "whole needs a local index"},
	} {
		if _, err := collapse.Search(context.Background(), tt.x, request(), tt.o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want one with %q", err, tt.want)
		}
	}
}
