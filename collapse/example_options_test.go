package collapse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// tools searches an index for "tools", in the order of the ids.
func tools(index bleve.Index, o collapse.Options) *collapse.Result {
	request := bleve.NewSearchRequest(bleve.NewMatchQuery("tools"))
	request.SortBy([]string{"_id"})
	request.AddFacet("words", bleve.NewFacetRequest("body", 1))
	result, err := collapse.Search(context.Background(), index, request, o)
	if err != nil {
		log.Fatal(err)
	}
	return result
}

// Total and facets are of all matches in the page form, and of the collapsed set in the
// whole form.
func ExampleOptions_whole() {
	index := pages()
	defer index.Close()
	for _, whole := range []bool{false, true} {
		r := tools(index, collapse.Options{Whole: whole})
		word := r.Facets["words"].Terms.Terms()[0]
		fmt.Printf("whole %t: total %d, %q in %d documents, %d groups (%s)\n",
			whole, r.Total, word.Term, word.Count, r.TotalGroups, r.TotalGroupsRelation)
	}
	// Output:
	// whole false: total 4, "build" in 4 documents, 2 groups (eq)
	// whole true: total 2, "build" in 2 documents, 2 groups (eq)
}

// What becomes of the copies, and how many of a group are shown.
func ExampleOptions() {
	index := pages()
	defer index.Close()
	for _, o := range []collapse.Options{
		{}, {Visible: 2}, {Demote: true}, {Visible: -1},
	} {
		r := tools(index, o)
		fmt.Printf("demote %t, visible %d:", o.Demote, o.Visible)
		for _, hit := range r.Hits {
			fmt.Print(" ", hit.ID)
		}
		fmt.Println(",", len(r.Groups), "groups")
	}
	// Output:
	// demote false, visible 0: guide-1 news, 2 groups
	// demote false, visible 2: guide-1 guide-2 news, 2 groups
	// demote true, visible 0: guide-1 news guide-2 guide-3, 2 groups
	// demote false, visible -1: guide-1 guide-2 guide-3 news, 2 groups
}

// The hidden hits of each group with their stored fields, in an order of their own.
func ExampleInnerHits() {
	index := pages()
	defer index.Close()
	r := tools(index, collapse.Options{InnerHits: []collapse.InnerHits{
		{Name: "last", Size: 1, Sort: search.SortOrder{&search.SortDocID{Desc: true}}, Fields: []string{"body"}},
		{Name: "number"},
	}})
	last := r.Groups[0].InnerHits["last"].Hits[0]
	fmt.Printf("%s hides %d, the last is %s: %.17s...\n",
		r.Groups[0].Head.ID, r.Groups[0].InnerHits["number"].Total, last.ID, last.Fields["body"])
	// Output: guide-1 hides 2, the last is guide-3: INSTALL the tools...
}

// An alias of several indexes: copies fold across them.
func ExampleSearch_alias() {
	here, there := pages(), pages()
	defer here.Close()
	defer there.Close()
	here.SetName("here")
	there.SetName("there")
	r := tools(bleve.NewIndexAlias(here, there), collapse.Options{})
	for hit, place := range r.All() {
		fmt.Println(hit.ID, "and", len(place.Copies), "near-copies")
	}
	fmt.Println(r.Status.Failed, "indexes failed")
	// Output:
	// guide-1 and 5 near-copies
	// news and 1 near-copies
	// 0 indexes failed
}

// Two pages of one site have the same legal notice as their text, and one title each. By their text alone
// they fold, by title and text they do not. A page with another title and a changed text folds only by any.
func ExampleFieldRule() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	title := plugin.FieldMapping("titles")
	title.Name = "title_signature"
	m.DefaultMapping.AddFieldMappingsAt("title", bleve.NewTextFieldMapping(), title)
	if err := m.AddCustomAnalyzer("titles", map[string]any{"type": "neardup", "preset": "short"}); err != nil {
		log.Fatal(err)
	}
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	const notice = "The tools come without any warranty, so far as the law allows it, and whoever passes them on must pass on this notice with them."
	for id, doc := range map[string]any{
		"1 editor":   map[string]any{"title": "The editor, a guide", "body": notice},
		"2 compiler": map[string]any{"title": "The compiler, its options", "body": notice},
		"3 editor":   map[string]any{"title": "The editor: a guide", "body": "Open the tools and choose a file from the list."},
	} {
		if err := index.Index(id, doc); err != nil {
			log.Fatal(err)
		}
	}
	both := []collapse.FieldRule{{Field: plugin.Field}, {Field: "title_signature"}}
	for _, o := range []collapse.Options{
		{}, {Fields: both, Match: "all"}, {Fields: both, Match: "any"}, {Fields: both, Match: "any", Whole: true},
	} {
		r := tools(index, o)
		fmt.Printf("%q whole %t: %d groups;", o.Match, o.Whole, r.TotalGroups)
		for _, m := range r.Groups[0].Members {
			fmt.Printf(" %q by %q", m.ID, m.Field)
		}
		fmt.Println()
	}
	// Output:
	// "" whole false: 2 groups; "2 compiler" by ""
	// "all" whole false: 3 groups;
	// "any" whole false: 1 groups; "2 compiler" by "neardup" "3 editor" by "title_signature"
	// "any" whole true: 1 groups; "2 compiler" by "neardup" "3 editor" by "title_signature"
}
