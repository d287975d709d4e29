package near_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	for id, body := range map[string]string{
		"page":   "The quick brown fox jumps over the lazy dog while the cat looks on from the wall.",
		"mirror": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!",
		"other":  "A fox is a small animal of the dog family that lives in woods, fields and towns.",
	} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}

	ctx := context.Background()
	result, err := near.Similar(ctx, index, near.SimilarRequest{Query: near.SimilarQuery{ID: "page"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.ID, "by", hit.By, "resembles it by", hit.Resemblance)
	}

	// The same in a query of bleve's: mirrors of a text that have a word.
	like := &near.SimilarQuery{Text: []string{"The quick brown fox jumps over the lazy dog while the cat looks on from the wall."}}
	word := bleve.NewMatchQuery("fox")
	word.SetField("body")
	found, err := index.Search(bleve.NewSearchRequest(bleve.NewConjunctionQuery(like, word)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Total, "matches")
	// Output:
	// mirror by exact+sketch+simhash resembles it by 1.00 ± 0.00
	// 2 matches
}

func ExampleParser() {
	parse := near.Parser(nil) // query.CustomFilterQueryParser, in a program
	q, err := parse([]byte(`{"custom_filter": {"neardup": {"id": "page", "rule": {"lanes": 95}}}}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q.(*near.SimilarQuery).ID, q.(*near.SimilarQuery).Rule.Lanes)
	// Output: page 95
}
