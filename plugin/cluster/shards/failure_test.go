package shards_test

import (
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
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const letter = `Dear friend, you have won a great prize in the lottery of the post office: write to us
today, and no later than Friday, and claim what is yours, before it is given to somebody else, who
may have waited for it for as long as you have, and who lives in the very same street as you do.`

// failing returns a cluster of four remote shards, of which the one that has letter
// answers as fail says, and is waited for so long; and ids that the others own, and that
// this one does.
func failing(t *testing.T, p shards.Partial, wait time.Duration, fail func(http.Handler) http.Handler) (c *shards.Set, lost, elsewhere, there string) {
	t.Helper()
	four := locals(t, 4)
	good := newTest(t, p, overHTTP(t, four)...)
	lost = "the letter"
	if _, err := submit(context.Background(), good, lost, map[string]any{"text": letter}); err != nil {
		t.Fatal(err)
	}
	var away []bleve.Index
	for i, x := range four {
		h, timeout := shards.Handler(x), time.Minute
		if x.Name() == good.Owner(lost).Name() {
			h, timeout = fail(h), wait
		}
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		away = append(away, shards.NewRemote(x.Name(), s.URL, shards.RemoteOptions{Timeout: timeout, Tries: 2}))
		for n := range 100 {
			id := fmt.Sprint("id ", i, n)
			if good.Owner(id).Name() == good.Owner(lost).Name() {
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
			case <-time.After(time.Minute):
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
			for _, p := range []shards.Partial{shards.FailClosed, shards.FailOpen} {
				c, lost, id, there := failing(t, p, 300*time.Millisecond, fail)
				ctx, dead := context.Background(), c.Owner(lost).Name()
				v, err := submit(ctx, c, id, map[string]any{"text": letter})
				if v.Written != (p == shards.FailOpen) || errors.Is(err, shards.ErrPartial) != (p == shards.FailClosed) || !slices.Equal(v.Unchecked, []string{dead}) {
					t.Errorf("%s: submit: got %+v, error %v", p, v, err)
				}
				if want := fmt.Sprintf("1 of 4: [%q]", dead); err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%s: submit: got error %v, want %s", p, err, want)
				}
				r := bleve.NewSearchRequest(bleve.NewMatchQuery("letter prize"))
				res, err := c.Search(ctx, r, collapse.Options{})
				if errors.Is(err, shards.ErrPartial) != (p == shards.FailClosed) {
					t.Errorf("%s: search: error %v", p, err)
				}
				if res.Status.Failed != 1 || !slices.Equal(shards.Missing(res.Status), []string{dead}) || res.TotalGroupsRelation != bleve.TotalRelationGte {
					t.Errorf("%s: search: got %+v, groups %s", p, res.Status, res.TotalGroupsRelation)
				}
				near, err := c.Similar(ctx, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{letter}, MaxShare: 1}})
				if errors.Is(err, shards.ErrPartial) != (p == shards.FailClosed) || near.TotalRelation != bleve.TotalRelationGte {
					t.Errorf("%s: similar: got %+v, error %v", p, near, err)
				}
				// What the others have is found all the same, and is reason enough.
				if p == shards.FailOpen {
					if v, err := submit(ctx, c, "again", map[string]any{"text": letter}); err != nil || v.Of == nil || v.Of.ID != id {
						t.Errorf("%s: a copy of %s: got %+v, error %v", p, id, v, err)
					}
				}
				// Nobody writes for a shard that does not.
				if v, err := submit(ctx, c, there, map[string]any{"text": "of its own"}); err == nil {
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
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n atomic.Int64
			c, lost, id, _ := failing(t, shards.FailClosed, 10*time.Second, func(h http.Handler) http.Handler {
				broken := fail(h)
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if n.Add(1) == 1 {
						broken.ServeHTTP(w, r)
						return
					}
					h.ServeHTTP(w, r)
				})
			})
			v, err := submit(context.Background(), c, id, map[string]any{"text": letter})
			if err != nil || v.Written || v.Of == nil || v.Of.ID != lost || len(v.Unchecked) > 0 || n.Load() != 2 {
				t.Errorf("got %+v, error %v after %d requests", v, err, n.Load())
			}
		})
	}
}

// A request that the shard refuses is not repeated, and a caller who goes away ends it.
func TestNoRetry(t *testing.T) {
	t.Parallel()
	asked := 0
	empty, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		shards.Handler(empty).ServeHTTP(w, r)
	}))
	defer s.Close()
	x := shards.NewRemote("shard", s.URL, shards.RemoteOptions{Timeout: time.Minute, Tries: 3})
	bad := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1, -1, false)
	bad.SearchAfter = []string{"one", "key", "too many"}
	if _, err := x.Search(bad); !errors.Is(err, shards.ErrRejected) || asked != 1 {
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
	c := newTest(t, shards.FailOpen, shards.NewRemote("a", s.URL, shards.RemoteOptions{}), shards.NewRemote("b", s.URL, shards.RemoteOptions{}))
	if v, err := submit(context.Background(), c, "id", map[string]any{"text": letter}); err == nil || v.Written {
		t.Errorf("submit: got %+v", v)
	}
	if _, err := c.Search(context.Background(), bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{}); err == nil {
		t.Error("search: got no error")
	}
}
