package plugin_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
)

// A document is erased: Delete takes it out of results, Purge out of the files, and Scrub
// what bleve left of internal values.
func ExampleScrub() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "pages.bleve")
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New(path, m)
	if err != nil {
		log.Fatal(err)
	}
	for id, body := range map[string]string{"page": "The quick brown fox", "letter": "Dear Ms. Miller, ..."} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	if err := index.Delete("letter"); err != nil {
		log.Fatal(err)
	}
	inner, err := plugin.Of(index)
	if err != nil {
		log.Fatal(err)
	}
	if err := inner.Purge(context.Background()); err != nil {
		log.Fatal(err)
	}
	if err := index.Close(); err != nil {
		log.Fatal(err)
	}
	if err := plugin.Scrub(path); err != nil {
		log.Fatal(err)
	}
	if index, err = plugin.Open(path); err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	fmt.Println(index.DocCount())
	// Output: 1 <nil>
}
