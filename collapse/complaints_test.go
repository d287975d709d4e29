package collapse_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// What users of other engines complain about when they collapse, each with where
// they do, and that it does not happen here. 60 documents, in 20 families of three.
func TestComplaints(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 60 {
		var words strings.Builder
		for j := range 100 {
			fmt.Fprintf(&words, " word%dof%d", j, i%20)
		}
		docs[fmt.Sprintf("%02d", i)] = page{
			Body:    sentence + words.String(),
			Project: fmt.Sprint("p", i%20%4), Version: float64(i / 20),
		}
	}
	docs["bare"] = page{Project: "p0"}
	index := newIndex(t, docs)
	search := func(x bleve.Index, o collapse.Options, change func(*bleve.SearchRequest)) *collapse.Result {
		t.Helper()
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		r.SortBy([]string{"-version", "_id"})
		if change != nil {
			change(r)
		}
		res, err := collapse.Search(context.Background(), x, r, o)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	whole := collapse.Options{Whole: true}

	// elastic/elasticsearch#24130, #25135; meilisearch#2152; typesense#1359
	t.Run("the number of groups is unknown", func(t *testing.T) {
		res := search(index, whole, nil)
		if res.TotalGroups != 21 || res.TotalGroupsRelation != bleve.TotalRelationEq || res.Hidden != 40 || res.Total != 21 {
			t.Errorf("got %d groups (%s), %d hidden, total %d", res.TotalGroups, res.TotalGroupsRelation, res.Hidden, res.Total)
		}
	})
	// elastic/elasticsearch#33266; searchkit#1397; meilisearch#4001; typesense#1224
	t.Run("facets do not match what is shown", func(t *testing.T) {
		res := search(index, whole, func(r *bleve.SearchRequest) {
			r.Size = 100
			r.Fields = []string{"project"}
			r.AddFacet("project", bleve.NewFacetRequest("project", 10))
		})
		shown := map[string]int{}
		for _, hit := range res.Hits {
			shown[fmt.Sprint(hit.Fields["project"])]++
		}
		for _, term := range res.Facets["project"].Terms.Terms() {
			if term.Count != shown[term.Term] || term.Count == 0 {
				t.Errorf("facet %s says %d, shown are %d", term.Term, term.Count, shown[term.Term])
			}
		}
	})
	// OpenSearch's collapse processor; neural-search#1947; typesense#2622
	t.Run("pages are short or empty", func(t *testing.T) {
		var sizes []int
		o := collapse.Options{}
		for {
			res := search(index, o, func(r *bleve.SearchRequest) { r.Size = 5 })
			sizes = append(sizes, len(res.Hits))
			if o.Cursor = res.Next; res.Next == nil {
				break
			}
		}
		if !slices.Equal(sizes, []int{5, 5, 5, 5, 1}) {
			t.Errorf("pages have %v hits, want 5, 5, 5, 5, 1", sizes)
		}
	})
	// elastic/elasticsearch#27243, #74595; OpenSearch#7484; stormcrawler#635
	t.Run("it does not combine with search_after and a sort of one's own", func(t *testing.T) {
		first := search(index, whole, func(r *bleve.SearchRequest) { r.Size = 8 })
		second := search(index, whole, func(r *bleve.SearchRequest) { r.Size = 100; r.SearchAfter = first.Hits[7].Sort })
		if len(second.Hits) != 13 || second.Total != 21 {
			t.Errorf("after the first 8 are %d of %d, want 13 of 21", len(second.Hits), second.Total)
		}
	})
	// Solr's nullPolicy; bleve#2251; fess#2092
	t.Run("documents without the field vanish, or become one group", func(t *testing.T) {
		for _, o := range []collapse.Options{{}, whole} {
			res := search(index, o, func(r *bleve.SearchRequest) { r.Size = 100 })
			if !slices.ContainsFunc(res.Groups, func(g collapse.Group) bool { return g.Head.ID == "bare" && len(g.Members) == 0 }) {
				t.Errorf("whole %v: the document without a signature is not on its own", o.Whole)
			}
		}
	})
	// typesense#578, #870
	t.Run("the hidden ones cannot be counted or shown", func(t *testing.T) {
		res := search(index, collapse.Options{Whole: true, InnerHits: []collapse.InnerHits{{Name: "copies", Size: 1, Fields: []string{"version"}}}}, nil)
		g := res.Groups[0]
		if len(g.Members) != 2 || g.InnerHits["copies"].Total != 2 || len(g.InnerHits["copies"].Hits) != 1 || g.InnerHits["copies"].Hits[0].Fields["version"] == nil {
			t.Errorf("got %+v, %+v", g, g.InnerHits["copies"])
		}
	})
	// Solr's result grouping; Elasticsearch's routing advice
	t.Run("copies must be on one shard", func(t *testing.T) {
		_, alias := shards(t, "", docs)
		res := search(alias, collapse.Options{}, func(r *bleve.SearchRequest) { r.Size = 100 })
		if res.TotalGroups > 21 || res.TotalGroupsRelation != bleve.TotalRelationEq {
			t.Errorf("four shards: %d groups (%s), want at most 21 (eq)", res.TotalGroups, res.TotalGroupsRelation)
		}
	})
	// clarin-eric/VLO#113; Connapse#79
	t.Run("near-copies count as different, since the key is exact", func(t *testing.T) {
		res := search(index, whole, nil)
		m := res.Groups[0].Members[0]
		edited := docs[m.ID]
		edited.Body += " and a few words more"
		load(t, index, map[string]page{m.ID: edited})
		res = search(index, whole, nil)
		at := slices.IndexFunc(res.Groups[0].Members, func(x collapse.Member) bool { return x.ID == m.ID })
		if at < 0 || res.Groups[0].Members[at].By&signature.ByExact != 0 || res.Groups[0].Members[at].By == 0 {
			t.Errorf("the edited copy is not a near-copy: %+v", res.Groups[0].Members)
		}
	})
}
