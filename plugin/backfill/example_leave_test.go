package backfill_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// An index with signatures becomes one that a program without this library opens.
func ExampleLeave() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m) // or plugin.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	if err := index.Index("page", map[string]any{"body": "The quick brown fox"}); err != nil {
		log.Fatal(err)
	}

	left, err := backfill.PlainMapping(index.Mapping())
	if err != nil {
		log.Fatal(err)
	}
	plain, err := bleve.New("", left) // or a path; bleve.Open goes on after a stop
	if err != nil {
		log.Fatal(err)
	}
	defer plain.Close()
	status, err := backfill.Leave(context.Background(), index, plain, backfill.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fields, err := plain.Fields()
	if err != nil {
		log.Fatal(err)
	}
	slices.Sort(fields)
	fmt.Println(status.Done, "of", status.Total, fields)
	// Output: 1 of 1 [_all _id body]
}
