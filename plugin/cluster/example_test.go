package cluster_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/couchbase/cbgt"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster"
)

// One node, of one process, with an index of two partitions.
func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	server := httptest.NewUnstartedServer(nil)
	node, err := cluster.Start(cluster.Options{
		ID: "a", URL: "http://" + server.Listener.Addr().String(), Dir: dir, Name: "pages", Mapping: m, Key: "secret",
		Cfg: cbgt.NewCfgMem(), Log: new(cluster.MemLog),
	})
	if err != nil {
		log.Fatal(err)
	}
	defer node.Close()
	server.Config.Handler = node.Handler()
	server.Start()
	defer server.Close()
	if err := node.Create(2, 0); err != nil {
		log.Fatal(err)
	}
	for len(node.Status().Partitions) < 2 || node.Status().Err() != nil {
		time.Sleep(time.Millisecond)
	}
	outcomes, err := node.Submit(context.Background(),
		cluster.Document{ID: "page", Data: map[string]any{"body": "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."}},
		cluster.Document{ID: "mirror", Data: map[string]any{"body": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range outcomes {
		fmt.Println(v.ID, v.Written)
	}
	// Output:
	// page true
	// mirror false
}
