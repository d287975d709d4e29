package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/couchbase/cbgt"
	"github.com/couchbase/clog"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

func TestMain(m *testing.M) {
	clog.SetLevel(clog.LevelError)
	os.Exit(m.Run())
}

const key = "between nodes"

// patience is how long tests wait: a busy machine is no dead node.
const patience = time.Hour

func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	project := bleve.NewTextFieldMapping()
	project.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("project", project)
	return m
}

// alone are the options of a node that needs no other, and that nobody asks.
func alone(t *testing.T) cluster.Options {
	return cluster.Options{
		ID: "a", URL: "http://127.0.0.1:1", Dir: t.TempDir(), Name: "docs", Key: key,
		Mapping: newMapping(), Cfg: cbgt.NewCfgMem(), Log: new(cluster.MemLog),
	}
}

// nodes are those of a cluster in this process, each behind a server of its own.
type nodes struct {
	t       testing.TB
	cfg     cbgt.Cfg
	log     cluster.Log
	change  func(*cluster.Options)
	client  *http.Client
	all     map[string]*cluster.Node
	servers map[string]*httptest.Server
	dirs    map[string]string
}

// newNodes starts n nodes, and an index of 8 partitions with a replica of each.
func newNodes(t testing.TB, n int, change func(*cluster.Options)) *nodes {
	t.Helper()
	return newNodesOf(t, n, min(1, n-1), change)
}

func newNodesOf(t testing.TB, n, replicas int, change func(*cluster.Options)) *nodes {
	t.Helper()
	c := &nodes{
		t: t, cfg: cbgt.NewCfgMem(), log: new(cluster.MemLog), change: change, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		all: map[string]*cluster.Node{}, servers: map[string]*httptest.Server{}, dirs: map[string]string{},
	}
	for i := range n { // before Cleanup, since directories are removed by one
		c.dirs[string(rune('a'+i))] = t.TempDir()
	}
	t.Cleanup(func() {
		for id := range c.all {
			c.stop(id)
		}
	})
	for i := range n {
		c.start(string(rune('a' + i)))
	}
	if err := c.any().Create(8, replicas); err != nil {
		t.Fatal(err)
	}
	c.settle(8 * (1 + replicas))
	return c
}

// start starts a node, where it was.
func (c *nodes) start(id string) {
	c.t.Helper()
	var handler http.Handler
	var ready sync.WaitGroup
	ready.Add(1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ready.Wait()
		handler.ServeHTTP(w, r)
	}))
	o := cluster.Options{
		ID: id, URL: s.URL + "/", Dir: c.dirs[id], Name: "docs", Mapping: newMapping(), Cfg: c.cfg, Log: c.log, Key: key, Client: c.client,
		Timeout: patience, Stale: patience,
	}
	if c.change != nil {
		c.change(&o)
	}
	n, err := cluster.Start(o)
	if err != nil {
		c.t.Fatal(err)
	}
	handler = n.Handler()
	ready.Done()
	c.all[id], c.servers[id] = n, s
}

// stop makes a node one that nobody reaches.
func (c *nodes) stop(id string) {
	c.servers[id].CloseClientConnections()
	c.servers[id].Close()
	if err := c.all[id].Close(); err != nil {
		c.t.Error(err)
	}
	delete(c.all, id)
	delete(c.servers, id)
}

func (c *nodes) any() *cluster.Node {
	for _, n := range c.all {
		return n
	}
	return nil
}

// settle waits until so many copies are ready.
func (c *nodes) settle(copies int) {
	c.t.Helper()
	until := time.Now().Add(patience)
	for {
		ready, primaries := 0, map[string]bool{}
		for _, n := range c.all {
			for _, p := range n.Status().Partitions {
				if p.Ready {
					ready++
					primaries[p.Partition] = primaries[p.Partition] || p.Primary
				}
			}
		}
		if ready == copies && !slices.Contains(slices.Collect(values(primaries)), false) && len(primaries) == 8 {
			return
		}
		if time.Now().After(until) {
			for id, n := range c.all {
				c.t.Logf("%s: %+v", id, n.Status())
			}
			c.t.Fatalf("%d of %d copies are ready", ready, copies)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func values(m map[string]bool) func(func(bool) bool) {
	return func(yield func(bool) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// docsOf makes documents of those of the corpus.
func docsOf(all []neartest.Doc) (docs []shards.Document) {
	for _, d := range all {
		docs = append(docs, shards.Document{ID: d.ID, Data: map[string]any{"text": d.Text, "project": d.Fields["project"], "version": d.Fields["version"]}})
	}
	return docs
}

// searcher is a Node or a shards.Set.
type searcher interface {
	Search(context.Context, *bleve.SearchRequest, collapse.Options) (*collapse.Result, error)
}

// groups is what a search shows on its pages, but for times, scores and the names of
// partitions.
func groups(t testing.TB, c searcher, r *bleve.SearchRequest) string {
	t.Helper()
	var b strings.Builder
	var o collapse.Options
	for {
		res, err := c.Search(context.Background(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, res.Total, "matches")
		for _, g := range slices.Concat(res.Groups, res.Earlier) {
			fmt.Fprint(&b, g.Head.ID)
			for _, m := range g.Members {
				fmt.Fprintf(&b, " + %s %d %d %s", m.ID, m.Agree, m.Hamming, m.By)
			}
			fmt.Fprintln(&b)
		}
		if res.Next == nil {
			fmt.Fprintln(&b, res.TotalGroups, res.TotalGroupsRelation)
			return b.String()
		}
		o.Cursor = res.Next
	}
}

// text is one of so many that have nothing in common.
func text(n int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for range 60 {
		fmt.Fprintf(&b, "w%d ", r.IntN(10000))
	}
	return b.String()
}

// ids has those of all documents, sorted, once all that was written can be seen.
func ids(t testing.TB, c *nodes) (all []string) {
	t.Helper()
	c.settled()
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 100000, 0, false)
	r.SortBy([]string{"_id"})
	res, err := c.any().Index().SearchInContext(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status.Failed > 0 {
		t.Fatalf("partial: %v", res.Status.Errors)
	}
	for _, h := range res.Hits {
		all = append(all, h.ID)
	}
	return all
}

// settled waits until all copies have read what is in the log.
func (c *nodes) settled() {
	c.t.Helper()
	want, err := c.log.Append(context.Background(), cluster.SubjectMarks, []byte("{}"))
	if err != nil {
		c.t.Fatal(err)
	}
	for until := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		behind := 0
		for _, n := range c.all {
			for _, p := range n.Status().Partitions {
				if p.Read < want {
					behind++
				}
			}
		}
		if behind == 0 {
			return
		}
		if time.Now().After(until) {
			c.t.Fatalf("%d copies are behind", behind)
		}
	}
}

// write writes documents unchecked, as records of the log.
func (c *nodes) write(docs []shards.Document) {
	c.t.Helper()
	for i, d := range docs {
		c.raw(rpc.Place(d.ID, 8), 0, d)
		if i%100 == 99 {
			c.settled()
		}
	}
	c.settled()
}

// load is write in records of many documents.
func (c *nodes) load(docs []shards.Document) {
	of := map[int][]shards.Document{}
	for _, d := range docs {
		of[rpc.Place(d.ID, 8)] = append(of[rpc.Place(d.ID, 8)], d)
	}
	for p, docs := range of {
		for docs := range slices.Chunk(docs, 200) {
			c.raw(p, 0, docs...)
		}
	}
	c.settled()
}

// raw appends a record as a node that holds a claim does.
func (c *nodes) raw(partition int, claim uint64, docs ...shards.Document) uint64 {
	c.t.Helper()
	return c.append(cluster.SubjectDocs(fmt.Sprint(partition)), map[string]any{"claim": claim, "docs": docs})
}

// append appends a record to the log.
func (c *nodes) append(subject string, record map[string]any) uint64 {
	c.t.Helper()
	body, err := json.Marshal(record)
	if err != nil {
		c.t.Fatal(err)
	}
	seq, err := c.log.Append(context.Background(), subject, body)
	if err != nil {
		c.t.Fatal(err)
	}
	return seq
}
