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
func ExampleMode() {
	index := pages()
	defer index.Close()
	for _, o := range []collapse.Options{
		{}, {Visible: 2}, {Mode: collapse.Demote}, {Mode: collapse.Annotate}, {Mode: collapse.Off},
	} {
		r := tools(index, o)
		fmt.Printf("%q, visible %d:", o.Mode, o.Visible)
		for _, hit := range r.Hits {
			fmt.Print(" ", hit.ID)
		}
		fmt.Println(",", len(r.Groups), "groups")
	}
	// Output:
	// "", visible 0: guide-1 news, 2 groups
	// "", visible 2: guide-1 guide-2 news, 2 groups
	// "demote", visible 0: guide-1 news guide-2 guide-3, 2 groups
	// "annotate", visible 0: guide-1 guide-2 guide-3 news, 2 groups
	// "off", visible 0: guide-1 guide-2 guide-3 news, 0 groups
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

// Which words a copy and its head do not share.
func ExampleExplain() {
	m := bleve.NewIndexMapping()
	plugin.Map(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	const text = "The tools are on the shelf in the hall, next to the ladder; bring them back before dark, clean and dry, or tell us."
	for id, body := range map[string]string{"a": text, "b": text + " Thanks!"} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	e := tools(index, collapse.Options{Explain: &collapse.Explain{}}).Groups[0].Members[0].Explanation
	fmt.Println(e.Shared, "shingles shared; only in the copy:", e.Member.Own, e.Member.OwnText[0].Text)
	// Output: 21 shingles shared; only in the copy: 1 or tell us. Thanks
}

// An alias of several indexes: copies fold across them.
func ExampleSearch_alias() {
	here, there := pages(), pages()
	defer here.Close()
	defer there.Close()
	here.SetName("here")
	there.SetName("there")
	r := tools(bleve.NewIndexAlias(here, there), collapse.Options{})
	for i, hit := range r.Hits {
		fmt.Println(hit.ID, "and", len(r.Groups[i].Members), "near-copies")
	}
	fmt.Println(r.Status.Failed, "indexes failed")
	// Output:
	// guide-1 and 5 near-copies
	// news and 1 near-copies
	// 0 indexes failed
}
