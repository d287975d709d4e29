package cluster_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// Where each partition has one copy, a dead node is missing from every answer, which
// says so, and what it may have a near-duplicate of is not admitted, or with FailOpen
// is, and says what was not asked.
func TestPartial(t *testing.T) {
	t.Parallel()
	for _, p := range []shards.Partial{shards.FailClosed, shards.FailOpen} {
		c := newNodesOf(t, 2, 0, func(o *cluster.Options) { o.Partial = p })
		n := c.all["a"]
		for i := range 20 {
			submit(t, n, fmt.Sprint(i), text(i))
		}
		c.settled()
		lost := 0
		for _, x := range c.all["b"].Status().Partitions {
			lost += int(x.Docs)
		}
		c.stop("b")
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 100, 0, false)
		res, err := n.Search(context.Background(), r, collapse.Options{})
		if errors.Is(err, shards.ErrPartial) != (p == shards.FailClosed) || res.Status.Failed == 0 || len(res.Hits) != 20-lost || res.TotalGroupsRelation != bleve.TotalRelationGte {
			t.Errorf("%s: search: %d hits, status %+v, error %v", p, len(res.Hits), res.Status, err)
		}
		found := 0
		for i := range 20 {
			v, err := n.Submit(context.Background(), shards.Document{ID: fmt.Sprint("copy", i), Data: map[string]any{"text": text(i) + "copy"}})
			switch {
			case len(v[0].Unchecked) == 0:
				t.Errorf("%s: %+v: nothing unchecked", p, v[0])
			case v[0].Of != nil:
				found++
			case errors.Is(err, shards.ErrPartial) != (p == shards.FailClosed) || v[0].Written == (p == shards.FailClosed):
				t.Errorf("%s: got %+v, error %v", p, v[0], err)
			}
		}
		if found != 20-lost || lost == 0 || lost == 20 {
			t.Errorf("%s: found %d of %d that are reached", p, found, 20-lost)
		}
	}
}

// With replicas, answers are complete when a node dies, before and after its partitions
// are given to others, and when it has come back; and nothing is lost.
func TestFailover(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 3, nil)
	var want []string
	check := func(when string) {
		t.Helper()
		for id, n := range c.all {
			r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
			res, err := n.Search(context.Background(), r, collapse.Options{})
			if err != nil || res.Total != uint64(len(want)) {
				t.Fatalf("%s, node %s: %d documents, want %d, error %v", when, id, res.Total, len(want), err)
			}
		}
	}
	write := func(from int) {
		t.Helper()
		for i := from; i < from+20; i++ {
			if v := submit(t, c.any(), fmt.Sprint(i), text(i)); !v.Written {
				t.Fatalf("%+v", v)
			}
			want = append(want, fmt.Sprint(i))
			if v := submit(t, c.any(), fmt.Sprint("copy", i), text(i/2)+"copy"); v.Written {
				t.Fatalf("%+v", v)
			}
		}
		c.settled()
	}
	write(0)
	check("before")
	c.stop("b")
	check("a node is dead")
	write(20)
	if err := c.any().Failover("typo", "b"); err == nil || !strings.Contains(err.Error(), `some of ["a" "b" "c"], got "typo"`) {
		t.Errorf("no such node: got error %v", err)
	}
	if err := c.any().Rebalance(); err != nil {
		t.Fatal(err)
	}
	c.settle(16)
	check("after failover")
	write(40)
	c.stop("c")
	check("another is dead")
	c.start("b")
	if err := errors.Join(c.all["a"].Failover("c"), c.all["a"].Rebalance()); err != nil {
		t.Fatal(err)
	}
	c.settle(16)
	write(60)
	check("the first is back")
	slices.Sort(want)
	if got := ids(t, c); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// gate is a Log that readers of documents do not get beyond a number of.
type gate struct {
	cluster.Log
	mu   sync.Mutex
	shut chan struct{}
}

func (g *gate) Read(ctx context.Context, subjects []string, after uint64, deliver func(cluster.Record) error) error {
	return g.Log.Read(ctx, subjects, after, func(r cluster.Record) error {
		g.mu.Lock()
		shut := g.shut
		g.mu.Unlock()
		if shut != nil && strings.HasPrefix(subjects[0], "docs.") {
			select {
			case <-shut:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return deliver(r)
	})
}

// A copy that has not caught up does not answer: what it lacks would read as "no
// duplicate".
func TestNotReady(t *testing.T) {
	t.Parallel()
	behind, stale := new(gate), time.Second
	c := newNodesOf(t, 2, 0, func(o *cluster.Options) {
		o.Stale = stale
		if o.ID == "b" {
			if behind.Log == nil { // before it starts again
				o.Timeout = 2 * time.Second
			}
			behind.Log = o.Log
			o.Log = behind
		}
	})
	a := c.all["a"]
	shut := make(chan struct{})
	behind.mu.Lock()
	behind.shut = shut
	behind.mu.Unlock()
	doc := shards.Document{ID: "1", Data: map[string]any{"text": text(1)}}
	if v, err := a.Submit(context.Background(), doc); !errors.Is(err, shards.ErrPartial) || v[0].Written {
		t.Errorf("got %+v, error %v", v, err)
	}
	time.Sleep(time.Second)
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	if _, err := a.Search(context.Background(), r, collapse.Options{}); !errors.Is(err, shards.ErrPartial) {
		t.Errorf("stale: error %v", err)
	}
	// From here on a slow machine makes nothing stale: a node that starts again is behind by what it has not read.
	stale = patience
	for _, id := range []string{"a", "b"} {
		c.stop(id)
		c.start(id)
	}
	a = c.all["a"]
	if err := c.all["b"].Status().Err(); err == nil {
		t.Error("a node behind is healthy")
	}
	if _, err := a.Search(context.Background(), r, collapse.Options{}); !errors.Is(err, shards.ErrPartial) {
		t.Errorf("search: error %v", err)
	}
	behind.mu.Lock()
	behind.shut = nil
	behind.mu.Unlock()
	close(shut)
	c.settle(8)
	if v := submit(t, a, "1", text(1)); !v.Written {
		t.Errorf("got %+v", v)
	}
	if v := submit(t, c.all["b"], "copy", text(1)+"copy"); v.Written {
		t.Errorf("got %+v", v)
	}
}

// Nothing is told to who has no key.
func TestKeyed(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, nil)
	url := c.servers["a"].URL
	ask := func(method, path, body, key string) (int, string) {
		r, err := http.NewRequest(method, url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if key != "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		res, err := c.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		answer, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(answer)
	}
	body, err := json.Marshal(map[string]any{"one": map[string]any{"text": text(1)}, "two": map[string]any{"text": text(1) + "copy"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ method, path, body, want string }{
		{"POST", "/submit", string(body), `"id":"one"`},
		{"POST", "/search", `{"query": {"match_all": {}}, "collapse": {}}`, `"total_hits":1`},
		{"GET", "/health", "", ""},
		{"GET", "/status", "", `"ready":true`},
		{"POST", "/parts/x/nearest", "{}", "partition"},
		{"POST", "/parts/x/search", "{}", "partition"},
	} {
		for _, wrong := range []string{"", "another"} {
			if status, answer := ask(r.method, r.path, r.body, wrong); status != http.StatusUnauthorized || strings.Contains(answer, `"`) {
				t.Errorf("%s with key %q: %d %s", r.path, wrong, status, answer)
			}
		}
		if r.path == "/search" {
			c.settled()
		}
		if status, answer := ask(r.method, r.path, r.body, key); status == http.StatusUnauthorized || !strings.Contains(answer, r.want) {
			t.Errorf("%s: %d %s, want %s", r.path, status, answer, r.want)
		}
	}
	for _, r := range []struct{ path, body, want string }{
		{"/submit", `{"a": null}`, `document "a": wanted one of at most`},
		{"/create", `{"partitions": 0}`, "and 0 to 9 replicas, got 0 and 0"},
		{"/create", `{"partitions": 2, "replicas": 10}`, "and 0 to 9 replicas, got 2 and 10"},
		{"/search", `{"query": {"match_all": {}}, "size": 1000000}`, "limit hits"},
	} {
		if status, answer := ask("POST", r.path, r.body, key); status != http.StatusBadRequest || !strings.Contains(answer, r.want) {
			t.Errorf("%s %s: %d %s, want %s", r.path, r.body, status, answer, r.want)
		}
	}
}

// before calls a function before a node asks another of near-duplicates.
type before struct {
	http.RoundTripper
	call func()
}

func (b before) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/nearest") {
		b.call()
	}
	return b.RoundTripper.RoundTrip(r)
}

// A decision that always takes longer than claims live is an error, not an endless wait.
func TestSlow(t *testing.T) {
	t.Parallel()
	const expiry = 200 * time.Millisecond
	for _, group := range []bool{false, true} {
		c := newNodes(t, 2, func(o *cluster.Options) {
			o.Expiry, o.Group = expiry, group
			o.Client = &http.Client{Transport: before{http.DefaultTransport, func() { time.Sleep(expiry) }}}
		})
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		v, err := c.all["a"].Submit(ctx, shards.Document{ID: "one", Data: map[string]any{"text": text(1)}})
		if err == nil || !strings.Contains(err.Error(), "wanted a decision within 100ms") || errors.Is(err, context.DeadlineExceeded) ||
			errors.Is(err, cluster.ErrUnknown) || v[0].Written {
			t.Errorf("group %v: got %+v, error %v", group, v, err)
		}
		if got := ids(t, c); len(got) > 0 {
			t.Errorf("group %v: got %q in the index", group, got)
		}
	}
}

// Who gives up while partitions are asked holds nobody up.
func TestImpatient(t *testing.T) {
	t.Parallel()
	for _, group := range []bool{false, true} {
		impatient, cancel := context.WithCancel(context.Background())
		c := newNodes(t, 2, func(o *cluster.Options) {
			o.Expiry, o.Group = patience, group
			o.Client = &http.Client{Transport: before{http.DefaultTransport, cancel}}
		})
		one := shards.Document{ID: "one", Data: map[string]any{"text": text(1)}}
		if _, err := c.all["a"].Submit(impatient, one); !errors.Is(err, context.Canceled) && !errors.Is(err, shards.ErrPartial) {
			t.Errorf("group %v: got error %v", group, err)
		}
		ctx, done := context.WithTimeout(context.Background(), time.Minute)
		defer done()
		if v, err := c.all["b"].Submit(ctx, one); err != nil || !v[0].Written {
			t.Errorf("group %v: after it: got %+v, error %v", group, v, err)
		}
		last := c.append(cluster.SubjectRevoked, map[string]any{"claim": 1 << 60})
		first := errors.New("it was read")
		if err := c.log.Read(ctx, []string{cluster.SubjectRevoked}, 0, func(r cluster.Record) error {
			if r.Seq < last {
				t.Errorf("group %v: copies keep for ever that a claim without documents was revoked: %s", group, r.Data)
			}
			return first
		}); err != first {
			t.Error(err)
		}
	}
}

// A node that is closed tells those who wait for it to decide, and who comes later.
func TestSubmitWhileClosed(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, func(o *cluster.Options) { o.Expiry = patience })
	n := c.all["a"]
	c.claim(text(1)) // which nobody ends
	failed := make(chan error)
	submit := func() {
		_, err := n.Submit(context.Background(), shards.Document{ID: "one", Data: map[string]any{"text": text(1)}})
		failed <- err
	}
	go submit()
	for n.Status().Claims < 2 {
		time.Sleep(time.Millisecond)
	}
	c.stop("a")
	for _, when := range []string{"while", "after"} {
		select {
		case err := <-failed:
			if !errors.Is(err, cluster.ErrClosed) {
				t.Errorf("%s it is closed: got error %v", when, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s it is closed: no answer", when)
		}
		go submit()
	}
	<-failed
	if err := n.Delete(context.Background(), "one"); !errors.Is(err, cluster.ErrClosed) {
		t.Errorf("delete: got error %v", err)
	}
	r, w := httptest.NewRequest("POST", "/submit", strings.NewReader(`{"one": {}}`)), httptest.NewRecorder()
	r.Header.Set("Authorization", "Bearer "+key)
	if n.Handler().ServeHTTP(w, r); w.Code != http.StatusInternalServerError {
		t.Errorf("over HTTP: %d %s", w.Code, w.Body) // 400 would say that the document is wrong
	}
}
