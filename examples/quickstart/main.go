// Quickstart indexes the texts below a directory in memory, and searches them with
// near-copies folded. It is a whole program, to be copied and changed:
//
//	go -C examples run ./quickstart ~/notes brown fox
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: quickstart DIRECTORY WORDS")
	}
	if err := run(os.Args[1], strings.Join(os.Args[2:], " ")); err != nil {
		log.Fatal(err)
	}
}

func run(dir, words string) error {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body") // the member of documents that is compared
	index, err := plugin.New("", m)               // in memory; a path keeps it
	if err != nil {
		return err
	}
	defer index.Close()

	batch := index.NewBatch()
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return batch.Index(path, map[string]any{"body": string(body)})
	})
	if err != nil {
		return err
	}
	if err := index.Batch(batch); err != nil {
		return err
	}

	// The rule is the default one; calibrate tells which suits your texts.
	options := collapse.Options{Rule: signature.Rule{Lanes: 90, Hamming: 3}}
	request := bleve.NewSearchRequest(bleve.NewMatchQuery(words))
	result, err := collapse.Search(context.Background(), index, request, options)
	if err != nil {
		return err
	}
	for hit, place := range result.All() {
		fmt.Println(hit.ID)
		for _, copied := range place.Copies {
			fmt.Printf("    hides %s: %d of 100 lanes agree\n", copied.ID, copied.Agree)
		}
	}
	return nil
}
