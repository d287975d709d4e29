package near_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// The near-duplicates of a document in all indexes of an alias. One that does not answer
// is told of: without it, nothing is known of what it has.
func ExampleSearch_alias() {
	const text = "The quick brown fox jumps over the lazy dog while the cat looks on from the wall"
	alias := bleve.NewIndexAlias()
	for name, docs := range map[string]map[string]string{
		"2025": {"page": text + ".", "other": "A fox is a small animal of the dog family that lives in woods and towns."},
		"2026": {"mirror": text + "!"},
	} {
		m := bleve.NewIndexMapping()
		plugin.AddSignature(m.DefaultMapping, "body")
		index, err := plugin.New("", m)
		if err != nil {
			log.Fatal(err)
		}
		defer index.Close()
		index.SetName(name)
		for id, body := range docs {
			if err := index.Index(id, map[string]any{"body": body}); err != nil {
				log.Fatal(err)
			}
		}
		alias.Add(index)
	}
	result, err := near.Similar(context.Background(), alias, near.SimilarRequest{Query: near.SimilarQuery{ID: "page"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.ID, "in", hit.Index)
	}
	fmt.Println(result.Total, result.TotalRelation, "of", result.Status.Total, "indexes,", result.Status.Failed, "failed")
	// Output:
	// mirror in 2026
	// 1 eq of 2 indexes, 0 failed
}
