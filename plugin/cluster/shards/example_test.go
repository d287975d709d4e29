package shards_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// Two shards: one in this process, and one behind HTTP.
func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	here, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	there, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	here.SetName("here")
	server := httptest.NewServer(shards.Authenticated("secret", shards.Handler(there)))
	defer server.Close()
	set, err := shards.New(m, shards.Options{}, here,
		shards.NewRemote("there", server.URL, shards.RemoteOptions{Key: "secret", Tries: 2}))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	outcomes, err := set.Submit(ctx,
		shards.Document{ID: "page", Data: map[string]any{"body": "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."}},
		shards.Document{ID: "mirror", Data: map[string]any{"body": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!"}},
		shards.Document{ID: "other", Data: map[string]any{"body": "A fox is a small animal of the dog family that lives in woods, fields and towns."}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range outcomes {
		if v.Of != nil {
			fmt.Println(v.ID, "is a near-duplicate of", v.Of.ID)
			continue
		}
		fmt.Println(v.ID, "belongs", set.Owner(v.ID).Name())
	}
	request := bleve.NewSearchRequest(bleve.NewMatchQuery("fox"))
	request.SortBy([]string{"_id"})
	result, err := set.Search(ctx, request, collapse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println("found", hit.ID, hit.Index)
	}
	// Output:
	// page belongs here
	// mirror is a near-duplicate of page
	// other belongs there
	// found other there
	// found page here
}
