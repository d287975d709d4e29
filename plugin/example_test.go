package plugin_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body") // the field that is compared; bleve indexes it as before
	index, err := plugin.New("", m)               // in memory; a path keeps it on disk
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

	request := bleve.NewSearchRequest(bleve.NewMatchQuery("brown fox"))
	result, err := collapse.Search(context.Background(), index, request, collapse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for hit, place := range result.All() {
		fmt.Println(hit.ID)
		for _, copied := range place.Copies {
			fmt.Println("    hides", copied.ID)
		}
	}
	// Output:
	// mirror
	//     hides page
	// other
}

func ExampleAddSignature() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "title", "body")
	for _, f := range m.DefaultMapping.Properties["body"].Fields {
		fmt.Printf("%s, name %q, analyzer %q\n", f.Type, f.Name, f.Analyzer)
	}
	// Output:
	// text, name "", analyzer ""
	// text, name "neardup", analyzer "neardup"
}
