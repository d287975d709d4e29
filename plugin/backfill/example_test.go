package backfill_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

func Example() {
	old, err := bleve.New("", bleve.NewIndexMapping()) // or bleve.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer old.Close()
	for id, body := range map[string]string{
		"page":   "The quick brown fox jumps over the lazy dog while the cat looks on from the wall.",
		"mirror": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!",
	} {
		if err := old.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}

	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m) // or plugin.OpenOrNew(path, m), to go on after a stop
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	status, err := backfill.Run(context.Background(), old, index, backfill.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.Done, "of", status.Total)

	request := bleve.NewSearchRequest(bleve.NewMatchQuery("fox"))
	result, err := collapse.Search(context.Background(), index, request, collapse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Hits), "group")
	// Output:
	// 2 of 2
	// 1 group
}
