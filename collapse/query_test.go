package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/upsidedown"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// checkQuery compares a Query with the oracle: which documents match, how many, and
// what the facet counts.
func checkQuery(t *testing.T, index bleve.Index, inner query.Query, o collapse.Options) {
	t.Helper()
	ranked := bleve.NewSearchRequest(inner)
	if len(o.Head) > 0 {
		ranked.Sort = o.Head.Copy()
	}
	want := oracle(t, index, ranked, collapse.Options{Rule: o.Rule, Visible: o.Visible, Missing: o.Missing}).shown
	slices.Sort(want)

	r := bleve.NewSearchRequestOptions(collapse.NewQuery(inner, o), 13, 0, false)
	r.SortBy([]string{"project", "_id"})
	r.Fields = []string{"project"}
	r.AddFacet("project", bleve.NewFacetRequest("project", 100))
	var got []string
	counts := map[string]int{}
	for {
		res, err := index.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Total != uint64(len(want)) {
			t.Fatalf("total %d, want %d", res.Total, len(want))
		}
		for _, hit := range res.Hits {
			got = append(got, hit.ID)
			counts[fmt.Sprint(hit.Fields["project"])]++
		}
		if len(res.Hits) < r.Size {
			for _, term := range res.Facets["project"].Terms.Terms() {
				if term.Count != counts[term.Term] {
					t.Errorf("facet %s: %d, want %d", term.Term, term.Count, counts[term.Term])
				}
			}
			break
		}
		r.SearchAfter = res.Hits[len(res.Hits)-1].Sort
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%+v: matches %d documents, want %d", o, len(got), len(want))
	}
}

func TestQueryAgainstOracle(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(21))
	for _, words := range []string{"common", "w1 w2 w3 w4 w5 w6 w7 w8 w9", "nothing"} {
		match := bleve.NewMatchQuery(words)
		match.SetField("body")
		for _, head := range []search.SortOrder{
			nil,
			{&search.SortDocID{}},
			{&search.SortField{Field: "version", Desc: true}},
			{&search.SortField{Field: "version", Type: search.SortFieldAsNumber}, &search.SortScore{Desc: true}},
		} {
			for _, visible := range []int{0, 2} {
				checkQuery(t, index, match, collapse.Options{Head: head, Visible: visible})
			}
		}
	}
	term := func(project string) query.Query {
		q := bleve.NewTermQuery(project)
		q.SetField("project")
		return q
	}
	bare := bleve.NewDisjunctionQuery(term("bare"), term("p1"))
	for _, missing := range []collapse.Missing{"", collapse.KeepMissing, collapse.DropMissing, collapse.GroupMissing} {
		checkQuery(t, index, bare, collapse.Options{Missing: missing})
	}
}

// On an index of scorch, signatures are read from the documents; on another there is no whole form.
func TestQueryOnAnyIndex(t *testing.T) {
	t.Parallel()
	sig := signature.Of(signature.DefaultParams(), []byte(sentence))
	text, err := sig.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]any{"a": string(text), "b": string(text), "c": string(text[:99]), "d": nil}
	index, older := stored(t, scorch.Name, docs), stored(t, upsidedown.Name, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	r := bleve.NewSearchRequest(collapse.NewQuery(match, collapse.Options{}))
	r.SortBy([]string{"_id"})
	res, err := index.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Total != 3 || res.Hits[0].ID != "a" || res.Hits[1].ID != "c" || res.Hits[2].ID != "d" {
		t.Errorf("got %v", res)
	}
	const want = `whole: wanted an index of type "neardup" or "scorch", got a *upsidedown.IndexReader: leave out whole`
	for name, x := range map[string]bleve.Index{"alone": older, "alias": bleve.NewIndexAlias(index, older)} {
		_, err := collapse.Search(t.Context(), x, r, collapse.Options{Whole: true})
		if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %s", name, err, want)
		}
	}
}

// What stays is as bleve found it: score, explanation, locations.
func TestQueryKeepsTheMatch(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(22))
	match := bleve.NewMatchQuery("common w3 w14 w15")
	match.SetField("body")
	ask := func(r *bleve.SearchRequest) map[string]*search.DocumentMatch {
		r.Size, r.Explain, r.Highlight = 1000, true, bleve.NewHighlight()
		res, err := index.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		hits := make(map[string]*search.DocumentMatch)
		for _, hit := range res.Hits {
			hit.HitNumber, hit.IndexInternalID = 0, nil
			hits[hit.ID] = hit
		}
		return hits
	}
	plain := ask(bleve.NewSearchRequest(match))
	collapsed := ask(bleve.NewSearchRequest(collapse.NewQuery(match, collapse.Options{})))
	if len(collapsed) == 0 || len(collapsed) == len(plain) {
		t.Fatalf("%d of %d matches stay", len(collapsed), len(plain))
	}
	for id, hit := range collapsed {
		p := plain[id]
		if hit.Score != p.Score || !reflect.DeepEqual(hit.Expl, p.Expl) || !reflect.DeepEqual(hit.Locations, p.Locations) || !reflect.DeepEqual(hit.Fragments, p.Fragments) {
			t.Errorf("%s is not as bleve found it", id)
		}
	}
	// Below others: only what matches both, and the collapse comes first.
	version := 2.0
	both := bleve.NewConjunctionQuery(collapse.NewQuery(match, collapse.Options{}), bleve.NewNumericRangeQuery(&version, nil))
	res, err := index.Search(bleve.NewSearchRequestOptions(both, 1000, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) == 0 || len(res.Hits) == len(collapsed) {
		t.Errorf("%d of %d pass the filter", len(res.Hits), len(collapsed))
	}
	for _, hit := range res.Hits {
		if collapsed[hit.ID] == nil {
			t.Errorf("%s passes the filter, but was not there before", hit.ID)
		}
	}
}

func TestQueryErrors(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(23))
	match := bleve.NewMatchQuery("common")
	for _, tt := range []struct {
		q    *collapse.Query
		is   error
		want string
	}{
		{collapse.NewQuery(nil, collapse.Options{}), collapse.ErrRequest, "wanted a query to collapse, got none"},
		{collapse.NewQuery(match, collapse.Options{Missing: "lose"}), collapse.ErrRequest, `missing: wanted "keep", "drop" or "group", got "lose"`},
		{collapse.NewQuery(match, collapse.Options{Budget: -1}), collapse.ErrRequest, "budget: wanted 0 or more, got -1"},
		{collapse.NewQuery(match, collapse.Options{Complete: true}), collapse.ErrRequest, "explain and a cursor need a Search"},
		{collapse.NewQuery(match, collapse.Options{Filter: match}), collapse.ErrRequest, "query: filter, complete"},
		{collapse.NewQuery(match, collapse.Options{Head: search.SortOrder{nil}}), collapse.ErrRequest, "head: wanted sort fields, got nil"},
		{collapse.NewQuery(match, collapse.Options{Rule: signature.Rule{Lanes: 101}}), collapse.ErrRequest, "as many as its sketches have"},
		{collapse.NewQuery(match, collapse.Options{Budget: 10}), collapse.ErrTooMany, "wanted at most 10 matches, got more"},
	} {
		_, err := index.Search(bleve.NewSearchRequest(tt.q))
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want one with %q", err, tt.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := index.SearchInContext(ctx, bleve.NewSearchRequest(collapse.NewQuery(match, collapse.Options{}))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
