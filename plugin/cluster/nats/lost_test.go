package nats_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/nats"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// Where the stream is gone and the plan is not, none is made, and where somebody has made
// one, it is another log: nothing is written, and searches say what they lack.
func TestStreamLost(t *testing.T) {
	t.Parallel()
	js := alone(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	start := func() (*cluster.Node, func()) { return startNode(t, js, cluster.Options{ID: "a", Dir: dir}) }
	words := func(i int) map[string]any {
		return map[string]any{"text": fmt.Sprintf("this is number %d of quite other words %d %d %d than all that came before it here", i, i*7, i*13, i*17)}
	}
	closed := func(n *cluster.Node) {
		t.Helper()
		for range 2 {
			if v, err := n.Submit(ctx, cluster.Document{ID: "copy", Data: words(5000)}); !errors.Is(err, cluster.ErrLog) {
				t.Errorf("submit: got %+v, %v", v, err)
			}
		}
		res, err := n.Search(ctx, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{})
		if err == nil || res != nil && res.Status.Failed == 0 || n.Status().Err() == nil {
			t.Errorf("search: got %v, health %v", err, n.Status().Err())
		}
	}
	n, end := start()
	if err := n.Create(4, 0); err != nil {
		t.Fatal(err)
	}
	healthy(t, n)
	for i := range 20 {
		if v, err := n.Submit(ctx, cluster.Document{ID: fmt.Sprint("doc ", i), Data: words(i)}); err != nil || !v[0].Written {
			t.Fatal(v, err)
		}
	}
	end()
	n, end = start() // the stream is there, and the same
	healthy(t, n)
	if v, err := n.Submit(ctx, shards.Document{ID: "copy", Data: words(3)}); err != nil || v[0].Written || v[0].Of.ID != "doc 3" {
		t.Errorf("got %+v, %v", v, err)
	}
	end()

	if err := js.DeleteStream(ctx, "docs"); err != nil {
		t.Fatal(err)
	}
	n, end = start()
	closed(n)
	if _, err := js.Stream(ctx, "docs"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("there is a stream again: %v", err)
	}
	l, err := nats.NewLog(ctx, js, "docs", 1, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Open(ctx, true); err != nil {
		t.Fatal(err)
	}
	closed(n)
	end()
	n, end = start()
	defer end()
	closed(n)
	s, err := js.Stream(ctx, "docs")
	if err != nil {
		t.Fatal(err)
	}
	if seq := s.CachedInfo().State.LastSeq; seq != 0 {
		t.Errorf("the other log got %d records", seq)
	}
}

// startNode starts a node whose log and plan are in js, and returns it with what ends it.
func startNode(t *testing.T, js jetstream.JetStream, o cluster.Options) (*cluster.Node, func()) {
	t.Helper()
	l, err := nats.NewLog(t.Context(), js, "docs", 1, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := nats.NewCfg(t.Context(), js, "docs_plan", 1)
	if err != nil {
		t.Fatal(err)
	}
	var h http.Handler
	var ready sync.WaitGroup
	ready.Add(1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ready.Wait(); h.ServeHTTP(w, r) }))
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	o.URL, o.Name, o.Mapping, o.Cfg, o.Log, o.Key = s.URL, "docs", m, cfg, l, key
	n, err := cluster.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	h = n.Handler()
	ready.Done()
	return n, func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		s.Close()
		cfg.Close()
	}
}

// healthy waits until the nodes have four partitions, all caught up.
func healthy(t *testing.T, nodes ...*cluster.Node) {
	t.Helper()
	for {
		partitions, err := 0, error(nil)
		for _, n := range nodes {
			s := n.Status()
			partitions, err = partitions+len(s.Partitions), cmp.Or(err, s.Err())
		}
		if err == nil && partitions >= 4 {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Two near-copies that come at the same time, each through a node of its own, get one name.
func TestNames(t *testing.T) {
	t.Parallel()
	js := alone(t)
	var nodes []*cluster.Node
	for _, id := range []string{"a", "b"} {
		n, end := startNode(t, js, cluster.Options{ID: id, Dir: t.TempDir(), Group: true})
		defer end()
		nodes = append(nodes, n)
	}
	if err := nodes[0].Create(4, 0); err != nil {
		t.Fatal(err)
	}
	healthy(t, nodes...)
	families := map[string]int{}
	for family := range 20 {
		var names [2]string
		var both sync.WaitGroup
		for i, n := range nodes {
			both.Go(func() {
				d := cluster.Document{ID: fmt.Sprint(family, i), Data: map[string]any{"text": words(family) + fmt.Sprint("end", i)}}
				v, err := n.Submit(t.Context(), d)
				if err != nil || !v[0].Written {
					t.Errorf("%s: got %+v, %v", d.ID, v, err)
					return
				}
				names[i] = v[0].Group
			})
		}
		both.Wait()
		if names[0] == "" || names[0] != names[1] {
			t.Errorf("pair %d: got the names %q", family, names)
		}
		if before, ok := families[names[0]]; ok {
			t.Errorf("pairs %d and %d have one name", before, family)
		}
		families[names[0]] = family
	}
}
