package shards_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// slow is an index that answers when it is let go.
type slow struct {
	anyIndex
	free chan struct{}
}

type anyIndex = bleve.Index

func (s slow) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	<-s.free
	return s.anyIndex.SearchInContext(context.WithoutCancel(ctx), r)
}

// A shard prices what it is asked, by either path, and says so to a client of the
// coordinator; and it answers by its deadline.
func TestLimits(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, word := range []string{"aa", "ab", "ac", "ad"} {
		if err := x.Index(word, map[string]any{"body": word + " is a word among many others that are the same in all of these texts"}); err != nil {
			t.Fatal(err)
		}
	}
	guard := shards.NewGuard()
	guard.Terms = 3
	server := httptest.NewServer(shards.GuardedHandler(x, guard))
	defer server.Close()
	remote := shards.NewRemote("a", server.URL, shards.RemoteOptions{Timeout: time.Minute})
	for prefix, fine := range map[string]bool{"a": false, "ab": true} {
		r := bleve.NewSearchRequest(bleve.NewPrefixQuery(prefix))
		_, err := remote.SearchInContext(t.Context(), r)
		if fine != (err == nil) || !fine && (!errors.Is(err, shards.ErrRejected) || !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "limit terms: wanted at most 3, got 4 or more")) {
			t.Errorf("search for %s: %v", prefix, err)
		}
		w := httptest.NewRecorder()
		h := &serve.Handler{Index: bleve.NewIndexAlias(remote, x)}
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"query":{"prefix":"`+prefix+`"},"collapse":{}}`)))
		if fine != (w.Code == 200) || !fine && (w.Code != 400 || !strings.Contains(w.Body.String(), "limit terms")) {
			t.Errorf("rank for %s: %d %s", prefix, w.Code, w.Body)
		}
	}
	stuck := slow{x, make(chan struct{})}
	defer close(stuck.free)
	guard = shards.NewGuard()
	guard.Timeout, guard.Leftovers = 50*time.Millisecond, 1
	h := shards.GuardedHandler(stuck, guard)
	for _, want := range []string{"no answer by the deadline", "too many searches go on"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/search", strings.NewReader(`{"query":{"match_all":{}}}`)))
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d %s, want 503 with %s", w.Code, w.Body, want)
		}
	}
}

// What a Set adds to a request at the limits of its clients is within those of its shards.
func TestLimitsOfSet(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, id := range []string{"a", "b", "c"} {
		if err := x.Index(id, map[string]any{"body": "one text that all of these documents have, with a word or two for " + id, "n": 1}); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(shards.Handler(x))
	defer server.Close()
	h := &serve.Handler{Index: bleve.NewIndexAlias(shards.NewRemote("a", server.URL, shards.RemoteOptions{Timeout: time.Minute}))}
	many := func(n int, part string) string { return strings.TrimSuffix(strings.Repeat(part+",", n), ",") }
	for name, body := range map[string]string{
		"clauses": `{"query":{"disjuncts":[` + many(998, `{"term":"text","field":"body"}`) + `]},"collapse":{"inner_hits":[{"name":"i","size":5}],"explain":{}}}`,
		"sort":    `{"query":{"match_all":{}},"sort":[` + many(10, `"n"`) + `],"collapse":{"inner_hits":[{"name":"i","size":5,"sort":[` + many(10, `"n"`) + `]}]}}`,
		"fields":  `{"query":{"match_all":{}},"fields":[` + many(100, `"body"`) + `],"collapse":{"explain":{}}}`,
		"depth":   `{"query":` + strings.Repeat(`{"filter":`, 97) + `{"match_all":{}}` + strings.Repeat(`}`, 97) + `,"collapse":{"inner_hits":[{"name":"i","size":5}]}}`,
		"hits":    `{"query":{"match_all":{}},"size":1000,"collapse":{"budget":10000}}`,
		"cursor":  `{"query":{"match_all":{}},"sort":["_id"],"collapse":{"cursor":{"after":["a"],"taken":10000}}}`,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"failed":0`) {
			t.Errorf("%s: %d %.300s", name, w.Code, w.Body)
		}
	}
}

// What a Want asks for is within the limits, of which those that a Guard leaves open are the defaults.
func TestWantLimits(t *testing.T) {
	t.Parallel()
	x := locals(t, 1)[0]
	if err := x.Index("a", map[string]any{"text": letter}); err != nil {
		t.Fatal(err)
	}
	h := shards.GuardedHandler(x, &serve.Guard{})
	for _, tt := range []struct {
		size        int
		want, wrong string
	}{
		{1000, `{"visible":1000}`, ""},
		{1000, `{"visible":1000000000}`, ""},
		{1001, `{"visible":1}`, "limit hits: wanted at most 1000, got 1001"},
		{10, `{"visible":-1}`, "wanted visible and per_group of 0 or more, got -1 and 0"},
		{10, `{"visible":1,"rule":{"mode":"x"}}`, `got "x"`},
	} {
		code, answer := posted(h, "/rank?want="+url.QueryEscape(tt.want), fmt.Sprintf(`{"query":{"match_all":{}},"size":%d}`, tt.size))
		if (code == http.StatusOK) != (tt.wrong == "") || code != http.StatusOK && (code != http.StatusBadRequest || !strings.Contains(answer, tt.wrong)) {
			t.Errorf("%s: got %d %s, want %s", tt.want, code, answer, tt.wrong)
		}
	}
}
