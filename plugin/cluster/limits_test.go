package cluster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// A request beyond the limits has status 400 at every node, whichever of them has the
// partitions: words are counted by the mapping, and terms where the copies are.
func TestLimits(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 2, func(o *cluster.Options) { o.Limits = serve.Limits{Terms: 50, Values: 10_000} })
	var docs []shards.Document
	for i := range 300 {
		docs = append(docs, shards.Document{ID: fmt.Sprint(i), Data: map[string]any{"text": fmt.Sprintf("one text of document w%d and of no other %s", i, text(i))}})
	}
	c.load(docs)
	for id, n := range c.all {
		for query, want := range map[string]string{
			`{"match":"` + strings.Repeat("word ", 51) + `","field":"text"}`:                              "limit terms: wanted at most 50, got 51, 1 too many",
			`{"prefix":"w","field":"text"}`:                                                               "limit terms: wanted at most 50, got 51 or more",
			`{"match_all":{}},"facets":{"a":{"field":"text","size":1},"b":{"field":"text","size":1}}`:     "limit values: wanted at most 10000, got 20000",
			`{"disjuncts":[` + strings.TrimSuffix(strings.Repeat(`{"match_none":{}},`, 1001), ",") + `]}`: "limit clauses: wanted at most 1000, got 2003, 1003 too many",
			`{"match":"document","field":"text"}`:                                                         "",
		} {
			r := httptest.NewRequest("POST", "/search", strings.NewReader(`{"query":`+query+`,"collapse":{}}`))
			r.Header.Set("Authorization", "Bearer "+key)
			w := httptest.NewRecorder()
			n.Handler().ServeHTTP(w, r)
			if want == "" && w.Code != http.StatusOK || want != "" && (w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want)) {
				t.Errorf("%s: %.60s: %d %.300s, want %q", id, query, w.Code, w.Body, want)
			}
		}
	}
}

// Every request is one JSON value: what follows it is an error, and nothing is done.
func TestTrailing(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, nil)
	for path, body := range map[string]string{
		"/search": `{"query":{"match_all":{}}}`, "/submit": `{"a":{"text":"a"}}`, "/create": `{"partitions":2}`, "/failover": `{"nodes":["a"]}`, "/rebalance": `{}`,
		"/parts/a/nearest": `{"at":0,"queries":[]}`,
	} {
		r := httptest.NewRequest("POST", path, strings.NewReader(body+` {"other":1}`))
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		c.any().Handler().ServeHTTP(w, r)
		if want := `wanted one JSON value, got`; w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
	if n := c.any().Status(); n.Err() != nil {
		t.Errorf("got %v", n.Err())
	}
}
