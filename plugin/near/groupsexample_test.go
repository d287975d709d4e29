package near_test

import (
	"context"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func ExampleGroups() {
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

	for group, err := range near.Groups(context.Background(), index, near.GroupsOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("keep", group.Head.ID)
		for _, member := range group.Members {
			fmt.Println("    like it:", member.ID, member.Agree, "of 100 lanes,", member.By)
		}
	}
	// Output:
	// keep mirror
	//     like it: page 100 of 100 lanes, exact+sketch+simhash
}
