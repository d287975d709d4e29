package nats_test

import (
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
	js, stop, err := single(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	dir := t.TempDir()
	start := func() (*cluster.Node, func()) {
		l, err := nats.NewLog(ctx, js, "docs", 1, 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := nats.NewCfg(ctx, js, "docs_plan", 1)
		if err != nil {
			t.Fatal(err)
		}
		var h http.Handler
		var ready sync.WaitGroup
		ready.Add(1)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ready.Wait(); h.ServeHTTP(w, r) }))
		m := bleve.NewIndexMapping()
		plugin.AddSignature(m.DefaultMapping, "text")
		n, err := cluster.Start(cluster.Options{ID: "a", URL: s.URL, Dir: dir, Name: "docs", Mapping: m, Cfg: cfg, Log: l, Key: key})
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
	words := func(i int) map[string]any {
		return map[string]any{"text": fmt.Sprintf("this is number %d of quite other words %d %d %d than all that came before it here", i, i*7, i*13, i*17)}
	}
	healthy := func(n *cluster.Node) {
		t.Helper()
		for n.Status().Err() != nil || len(n.Status().Partitions) < 4 {
			if ctx.Err() != nil {
				t.Fatal(n.Status().Err())
			}
			time.Sleep(20 * time.Millisecond)
		}
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
	healthy(n)
	for i := range 20 {
		if v, err := n.Submit(ctx, cluster.Document{ID: fmt.Sprint("doc ", i), Data: words(i)}); err != nil || !v[0].Written {
			t.Fatal(v, err)
		}
	}
	end()
	n, end = start() // the stream is there, and the same
	healthy(n)
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
