package docs

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// foxes is an index of three copies of one text and another.
func foxes(m *mapping.IndexMappingImpl) bleve.Index {
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	const body = "The quick brown fox jumps over the lazy dog while the cat looks on from the wall"
	for id, text := range map[string]string{
		"a": body + ".", "b": body + "!", "c": body + "...",
		"other": "A fox is a small animal of the dog family that lives in woods, fields and towns.",
	} {
		doc := map[string]any{"body": text, "title": id, "lang": "en", "host": map[bool]string{true: "one", false: "two"}[len(id) == 1], "date": "2026-11-0" + fmt.Sprint(len(text)%9+1)}
		if err := index.Index(id, doc); err != nil {
			log.Fatal(err)
		}
	}
	return index
}

// The two forms of collapse.
func Example_forms() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index := foxes(m)
	defer index.Close()
	ctx, request := context.Background(), bleve.NewSearchRequest(bleve.NewMatchQuery("fox"))

	page, err := collapse.Search(ctx, index, request, collapse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	whole, err := collapse.Search(ctx, index, request, collapse.Options{Whole: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("page: ", page.Total, "matches,", page.TotalGroups, "groups", page.TotalGroupsRelation)
	fmt.Println("whole:", whole.Total, "matches,", whole.TotalGroups, "groups", whole.TotalGroupsRelation)
	// Output:
	// page:  4 matches, 2 groups eq
	// whole: 2 matches, 2 groups eq
}

// A rule of one's own, and an analyzer for short texts.
func Example_rule() {
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer("short", map[string]any{"type": neardup.Name, "preset": "short"})
	if err != nil {
		log.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("short"))
	index := foxes(m)
	defer index.Close()
	options := collapse.Options{Rule: signature.Rule{Lanes: 80}}
	result, err := collapse.Search(context.Background(), index, bleve.NewSearchRequest(bleve.NewMatchQuery("fox")), options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TotalGroups, "groups")
	// Output: 2 groups
}

// The sketch proposes, and the text decides.
func Example_verify() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index := foxes(m)
	defer index.Close()
	for id, body := range map[string]string{
		"fox":   "One night the quick brown fox jumps over the lazy dog while the cat looks on from the wall of the old garden behind the house",
		"fox 2": "One night the quick brown fox jumps over the lazy dog while the cat looks on from the wall of the old garden behind a house",
	} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	request := near.SimilarRequest{Query: near.SimilarQuery{ID: "fox", Verify: signature.Verify{Resemblance: .8}}}
	result, err := near.Similar(context.Background(), index, request)
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Printf("%s has a resemblance of %.3f, exact: %t\n", hit.ID, hit.Resemblance.Value, hit.Verified)
	}
	// Output: fox 2 has a resemblance of 0.840, exact: true
}

// Who may see what is part of the query: copies fold among the documents that are allowed.
func Example_filter() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index := foxes(m)
	defer index.Close()
	ctx := context.Background()

	allowed := bleve.NewTermQuery("en")
	allowed.SetField("lang")
	q := bleve.NewBooleanQuery()
	q.AddMust(bleve.NewMatchQuery("fox"))
	q.AddFilter(allowed)
	result, err := collapse.Search(ctx, index, bleve.NewSearchRequest(q), collapse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Total, "hits,", result.TotalGroups, "groups, another page:", result.Next != nil)
	// Output: 4 hits, 2 groups, another page: false
}
