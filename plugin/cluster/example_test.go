package cluster_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/couchbase/cbgt"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster"
)

// Three nodes, here of one process: four partitions, each with a replica on another node. One of two
// near-copies is written, whichever nodes they come through. When a node dies, the others answer.
func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	nodes, cfg, records := map[string]*cluster.Node{}, cbgt.NewCfgMem(), new(cluster.MemLog)
	servers := map[string]*httptest.Server{}
	for _, id := range []string{"a", "b", "c"} {
		s := httptest.NewUnstartedServer(nil)
		own := filepath.Join(dir, id)
		if err := os.Mkdir(own, 0o777); err != nil {
			log.Fatal(err)
		}
		node, err := cluster.Start(cluster.Options{
			ID: id, URL: "http://" + s.Listener.Addr().String(), Dir: own, Name: "pages", Mapping: m, Key: "secret", Cfg: cfg, Log: records,
		})
		if err != nil {
			log.Fatal(err)
		}
		s.Config.Handler = node.Handler()
		s.Start()
		nodes[id], servers[id] = node, s
	}
	stop := func(id string) {
		servers[id].Close()
		nodes[id].Close()
		delete(nodes, id)
	}
	if err := nodes["a"].Create(4, 1); err != nil {
		log.Fatal(err)
	}
	settle(nodes, 8, 0)

	for id, page := range map[string]string{
		"a": "The quick brown fox jumps over the lazy dog while the cat looks on from the wall.",
		"b": "THE QUICK BROWN FOX jumps over the lazy dog, while the cat looks on from the wall!",
	} {
		_, err := nodes[id].Submit(context.Background(), cluster.Document{ID: "page of " + id, Data: map[string]any{"body": page}})
		if err != nil {
			log.Fatal(err)
		}
	}
	settle(nodes, 8, 2)

	stop("b")
	search := func() {
		res, err := nodes["c"].Search(context.Background(), bleve.NewSearchRequest(bleve.NewMatchQuery("fox")), collapse.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(res.Hits), "hit;", res.Status.Successful, "of", res.Status.Total, "parts answered")
	}
	search()
	if err := nodes["a"].Failover("b"); err != nil { // replicas become primaries
		log.Fatal(err)
	}
	if err := nodes["a"].Rebalance(); err != nil { // and get replicas again
		log.Fatal(err)
	}
	settle(nodes, 8, 2)
	search()
	stop("a")
	stop("c")
	// Output:
	// 1 hit; 4 of 4 parts answered
	// 1 hit; 4 of 4 parts answered
}

// settle waits until the nodes have so many copies, which have so many documents.
func settle(nodes map[string]*cluster.Node, copies, docs int) {
	for {
		all, known := 0, 0
		for _, node := range nodes {
			for _, p := range node.Status().Partitions {
				if p.Ready && p.Failure == "" {
					all, known = all+1, known+int(p.Docs)
				}
			}
		}
		if all == copies && known == docs {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
