package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

const letter = `Dear friend, you have won a great prize in the lottery of the post office: write to us
today, and no later than Friday, and claim what is yours, before it is given to somebody else, who
may have waited for it for as long as you have, and who lives in the very same street as you do.`

// failing returns a cluster of four remote shards, of which the one that has letter
// answers as fail says; and ids that the others own, and that this one does.
func failing(t *testing.T, p partial, fail func(http.Handler) http.Handler) (c *cluster, lost, elsewhere, there string) {
	t.Helper()
	shards := locals(t, 4)
	good := newTest(t, p, overHTTP(t, shards)...)
	lost = "the letter"
	if _, err := good.submit(context.Background(), lost, map[string]any{"text": letter}); err != nil {
		t.Fatal(err)
	}
	var away []bleve.Index
	for i, x := range shards {
		h := serve(x)
		if x.Name() == good.owner(lost).Name() {
			h = fail(h)
		}
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		away = append(away, newRemote(x.Name(), s.URL, 300*time.Millisecond, 2))
		for n := range 100 {
			id := fmt.Sprint("id ", i, n)
			if good.owner(id).Name() == good.owner(lost).Name() {
				there = id
			} else {
				elsewhere = id
			}
		}
	}
	return newTest(t, p, away...), lost, elsewhere, there
}

// failures are ways of a shard not to answer.
var failures = map[string]func(http.Handler) http.Handler{
	"dead": func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	},
	"slow": func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // or the server does not see that the client has gone
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
		})
	},
	"broken": func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no disk", 500) })
	},
	"another server": func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "{}") })
	},
	"cut off": func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		})
	},
}

// A shard that does not answer never reads as "no duplicate": closed, nothing is
// written and nothing is shown; open, both say which shard is missing.
func TestFailure(t *testing.T) {
	t.Parallel()
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, p := range []partial{failClosed, failOpen} {
				c, lost, id, there := failing(t, p, fail)
				ctx, dead := context.Background(), c.owner(lost).Name()
				v, err := c.submit(ctx, id, map[string]any{"text": letter})
				if v.Written != (p == failOpen) || errors.Is(err, errPartial) != (p == failClosed) || !slices.Equal(v.Unchecked, []string{dead}) {
					t.Errorf("%s: submit: got %+v, error %v", p, v, err)
				}
				r := bleve.NewSearchRequest(bleve.NewMatchQuery("letter prize"))
				res, err := c.search(ctx, r, collapse.Options{})
				if errors.Is(err, errPartial) != (p == failClosed) {
					t.Errorf("%s: search: error %v", p, err)
				}
				if res.Status.Failed != 1 || !slices.Equal(missing(res.Status), []string{dead}) || res.TotalGroupsRelation != collapse.AtLeast {
					t.Errorf("%s: search: got %+v, groups %s", p, res.Status, res.TotalGroupsRelation)
				}
				near, err := c.similar(ctx, similar.Request{Query: similar.Query{Text: []string{letter}, MaxShare: 1}})
				if errors.Is(err, errPartial) != (p == failClosed) || near.TotalRelation != collapse.AtLeast {
					t.Errorf("%s: similar: got %+v, error %v", p, near, err)
				}
				// What the others have is found all the same, and is reason enough.
				if p == failOpen {
					if v, err := c.submit(ctx, "again", map[string]any{"text": letter}); err != nil || v.Of == nil || v.Of.ID != id {
						t.Errorf("%s: a copy of %s: got %+v, error %v", p, id, v, err)
					}
				}
				// Nobody writes for a shard that does not.
				if v, err := c.submit(ctx, there, map[string]any{"text": "of its own"}); err == nil {
					t.Errorf("%s: the owner does not answer: got %+v", p, v)
				}
			}
		})
	}
}

// A shard that fails once is asked again, and then nothing is missing.
func TestRetry(t *testing.T) {
	t.Parallel()
	for name, fail := range failures {
		var n atomic.Int64
		c, lost, id, _ := failing(t, failClosed, func(h http.Handler) http.Handler {
			broken := fail(h)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if n.Add(1) == 1 {
					broken.ServeHTTP(w, r)
					return
				}
				h.ServeHTTP(w, r)
			})
		})
		v, err := c.submit(context.Background(), id, map[string]any{"text": letter})
		if err != nil || v.Written || v.Of == nil || v.Of.ID != lost || len(v.Unchecked) > 0 || n.Load() != 2 {
			t.Errorf("%s: got %+v, error %v after %d requests", name, v, err, n.Load())
		}
	}
}

// A request that the shard refuses is not repeated, and a caller who goes away ends it.
func TestNoRetry(t *testing.T) {
	t.Parallel()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		serve(nil).ServeHTTP(w, r)
	}))
	defer s.Close()
	x := newRemote("shard", s.URL, time.Second, 3)
	bad := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1, -1, false)
	bad.SearchAfter = []string{"one", "key", "too many"}
	if _, err := x.Search(bad); !errors.Is(err, errRefused) || asked != 1 {
		t.Errorf("got error %v after %d requests", err, asked)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.SearchInContext(ctx, bleve.NewSearchRequest(bleve.NewMatchAllQuery())); !errors.Is(err, context.Canceled) || asked > 2 {
		t.Errorf("got error %v after %d requests", err, asked)
	}
}

// If no shard answers, that is an error under any policy.
func TestAllDead(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	c := newTest(t, failOpen, newRemote("a", s.URL, time.Second, 1), newRemote("b", s.URL, time.Second, 1))
	if v, err := c.submit(context.Background(), "id", map[string]any{"text": letter}); err == nil || v.Written {
		t.Errorf("submit: got %+v", v)
	}
	if _, err := c.search(context.Background(), bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{}); err == nil {
		t.Error("search: got no error")
	}
}

// The program, on shards of its own.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, local := range []bool{true, false} {
		shards := shardsOf(3, local, nil, 10*time.Second)
		c := newTest(t, failClosed, shards...)
		for i := range 6 {
			if err := c.owner(fmt.Sprint(i)).Index(fmt.Sprint(i), map[string]any{"text": fmt.Sprint(letter, i/4)}); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := run(&out, shards, failClosed, "", "prize"); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Count(got, "hides") != 5 || !strings.Contains(got, "not written: a near-duplicate of") {
			t.Errorf("local %t: got\n%s", local, got)
		}
	}
}
