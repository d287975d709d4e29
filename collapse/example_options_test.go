package collapse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
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
		{}, {Visible: 2}, {Visible: -1},
	} {
		r := tools(index, o)
		fmt.Printf("visible %d:", o.Visible)
		for _, hit := range r.Hits {
			fmt.Print(" ", hit.ID)
		}
		fmt.Println(",", len(r.Groups), "groups")
	}
	// Output:
	// visible 0: guide-1 news, 2 groups
	// visible 2: guide-1 guide-2 news, 2 groups
	// visible -1: guide-1 guide-2 guide-3 news, 2 groups
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
