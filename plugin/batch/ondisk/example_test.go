package ondisk_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

func Example() {
	dir, err := os.MkdirTemp("", "neardup")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	job, err := ondisk.Open(dir, ondisk.Options{Memory: 64 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer job.Close()
	texts := []struct{ id, text string }{
		{"page", "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."},
		{"other", "A fox is a small animal of the dog family that lives in woods, fields and towns."},
		{"mirror", "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!"},
	}
	for _, t := range texts[job.Len():] { // after a stop, the documents that are missing
		s := signature.Of(signature.DefaultParams(), []byte(t.text))
		if err := job.Add(t.id, &s); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := job.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	for group, err := range job.Groups() {
		fmt.Println(group.Head, "stands for", group.Members, err)
	}
	for id, err := range job.Keep() {
		fmt.Println("keep", id, err)
	}
	// Output:
	// mirror stands for [page] <nil>
	// keep other <nil>
	// keep mirror <nil>
}
