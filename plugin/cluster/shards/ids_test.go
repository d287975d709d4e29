package shards_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// words is a text that has nothing in common with those of other numbers.
func words(n int) string {
	var b strings.Builder
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for range 30 {
		fmt.Fprintf(&b, "w%d ", r.IntN(10000))
	}
	return b.String()
}

// Ids are any characters: over HTTP as in one process, what is written is there under its id, is found,
// shown page by page by cursors that went through JSON, named as a copy, and deleted.
func TestIDs(t *testing.T) {
	t.Parallel()
	for i, away := range []bool{false, true} {
		odd := neartest.OddIDs(rand.New(rand.NewPCG(7, 8)), 40)
		if testing.Short() { // other ids here and away
			some := odd[:0]
			for ; i < len(odd); i += 4 {
				some = append(some, odd[i])
			}
			odd = some
		}
		var all []bleve.Index
		for i := range 3 {
			m := bleve.NewIndexMapping()
			plugin.AddSignature(m.DefaultMapping, "text")
			x, err := plugin.New("", m)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
				t.Fatal(err)
			}
			x.SetName(fmt.Sprint("shard ", i))
			if away {
				s := httptest.NewServer(shards.Handler(x))
				defer s.Close()
				all = append(all, shards.NewRemote("", s.URL, shards.RemoteOptions{Timeout: time.Minute}))
			} else {
				all = append(all, x)
			}
		}
		m := bleve.NewIndexMapping()
		plugin.AddSignature(m.DefaultMapping, "text")
		set, err := shards.New(m, shards.Options{}, all...)
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		var docs []shards.Document
		for i, id := range odd {
			docs = append(docs, shards.Document{ID: id, Data: map[string]any{"text": words(i)}})
		}
		outcomes, err := set.Submit(ctx, docs...)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range outcomes {
			if !v.Written || v.ID != odd[i] {
				t.Errorf("%.40q: got %.40q, written %v", odd[i], v.ID, v.Written)
			}
		}
		shown := func(sort ...string) (got []string) {
			var o collapse.Options
			for {
				r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 4, 0, false)
				r.SortBy(sort)
				res, err := set.Search(ctx, r, o)
				if err != nil {
					t.Fatal(err)
				}
				text, err := json.Marshal(res)
				var back collapse.Result
				if err != nil || json.Unmarshal(text, &back) != nil {
					t.Fatalf("%v: %.200s", err, text)
				}
				for i, hit := range back.Hits {
					if hit.ID != res.Hits[i].ID || !slices.Equal(hit.Sort, res.Hits[i].Sort) || !slices.ContainsFunc(all, func(x bleve.Index) bool { return x.Name() == hit.Index }) {
						t.Fatalf("got %+v, want %+v", hit, res.Hits[i])
					}
					got = append(got, hit.ID)
				}
				if len(back.Groups) != len(res.Groups) || slices.ContainsFunc(back.Groups, func(g collapse.Group) bool { return len(g.Members) > 0 }) {
					t.Fatalf("got %+v, want %+v", back.Groups, res.Groups)
				}
				if o.Cursor = back.Next; o.Cursor == nil {
					return got
				}
			}
		}
		want := slices.Sorted(slices.Values(odd))
		if got := shown("_id"); !slices.Equal(got, want) {
			t.Errorf("away %v: pages by id show %d documents, want %d in order", away, len(got), len(want))
		}
		if got := slices.Sorted(slices.Values(shown("-_score"))); !slices.Equal(got, want) {
			t.Errorf("away %v: pages by score show %d documents, want %d", away, len(got), len(want))
		}
		for i, id := range odd {
			res, err := set.Similar(ctx, near.SimilarRequest{Query: near.SimilarQuery{ID: id, Self: true}})
			if err != nil || len(res.Hits) != 1 || res.Hits[0].ID != id {
				t.Fatalf("away %v: similar %.40q: got %+v, %v", away, id, res, err)
			}
			text, err := json.Marshal(res)
			var back near.SimilarResult
			if err != nil || json.Unmarshal(text, &back) != nil || back.Hits[0].ID != id || back.Hits[0].Match != res.Hits[0].Match {
				t.Errorf("similar %.40q: got %.200s, %v", id, text, err)
			}
			v, err := set.Submit(ctx, shards.Document{ID: "copy", Data: map[string]any{"text": words(i)}})
			if err != nil || v[0].Written || v[0].Of.ID != id {
				t.Fatalf("away %v: copy of %.40q: got %+v, %v", away, id, v, err)
			}
			text, err = json.Marshal(shards.Outcome{ID: id, Of: v[0].Of, Unchecked: []string{"x"}})
			var outcome shards.Outcome
			if err != nil || json.Unmarshal(text, &outcome) != nil || outcome.ID != id || outcome.Of.ID != id || len(outcome.Unchecked) != 1 {
				t.Errorf("outcome of %.40q: got %.200s, %v", id, text, err)
			}
		}
		// Written unchecked, a copy is tagged with the id of what it is a copy of, as the shard
		// of its own id can see.
		tags := 0
		for i, id := range odd {
			copied := shards.Document{ID: "copy of " + id, Data: map[string]any{"text": words(i)}}
			if err := set.Write(copied); err != nil {
				t.Fatal(err)
			}
			r := bleve.NewSearchRequest(bleve.NewMatchQuery(strings.Fields(words(i))[0]))
			r.Fields = []string{admission.OfField}
			res, err := set.Owner(copied.ID).SearchInContext(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range res.Hits {
				if of := hit.Fields[admission.OfField]; hit.ID == copied.ID && set.Owner(id) == set.Owner(copied.ID) {
					if tags++; of != id {
						t.Errorf("away %v: copy of %.40q: tagged %.40q", away, id, of)
					}
				}
			}
		}
		if tags == 0 {
			t.Error("no copy came to the shard of its original")
		}
		var gone []shards.Document
		for _, id := range odd {
			gone = append(gone, shards.Document{ID: id}, shards.Document{ID: "copy of " + id})
		}
		if err := set.Write(gone...); err != nil {
			t.Fatal(err)
		}
		if got := shown("_id"); len(got) != 0 {
			t.Errorf("away %v: %d documents are left", away, len(got))
		}
	}
}

// What JSON cannot carry is an error, on either side, before anything is written.
func TestBrokenIDs(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := httptest.NewServer(shards.Handler(x))
	defer s.Close()
	for _, body := range []string{"{\"fine\":{\"text\":\"x\"},\"a\x80\":{\"text\":\"y\"}}", `[{"id":"a"}]`} {
		res, err := http.Post(s.URL+"/docs", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if n, _ := x.DocCount(); res.StatusCode != http.StatusBadRequest || n != 0 {
			t.Errorf("%q: status %d, %d documents", body, res.StatusCode, n)
		}
	}
	remote := shards.NewRemote("", s.URL, shards.RemoteOptions{Timeout: time.Minute})
	if err := remote.Index("a\ufffd", map[string]any{"text": "x"}); err != nil {
		t.Fatal(err)
	}
	if err := remote.Index("a\x80", map[string]any{"text": "x"}); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("an id that JSON changes: got %v", err)
	}
	if res, err := remote.Search(bleve.NewSearchRequest(bleve.NewDocIDQuery([]string{"a\ufffd"}))); err != nil || res.Total != 1 || res.Hits[0].ID != "a\ufffd" {
		t.Errorf("got %+v, %v", res, err)
	}
}

// A remote shard has one name wherever it is told of: its URL, if it was given no other.
func TestOneName(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.SetName("what it calls itself")
	s := httptest.NewServer(shards.Handler(x))
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	defer s.Close()
	set, err := shards.New(m, shards.Options{Partial: shards.FailOpen}, shards.NewRemote("", s.URL, shards.RemoteOptions{Timeout: time.Minute}), shards.NewRemote("", dead.URL, shards.RemoteOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if err := x.Index(fmt.Sprint(i), map[string]any{"text": words(i / 2)}); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	for _, o := range []collapse.Options{{}, {Visible: -1}} {
		res, err := set.Search(ctx, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), o)
		if err != nil || !slices.Equal(shards.Missing(res.Status), []string{dead.URL}) || len(res.Hits) == 0 {
			t.Fatalf("got %+v, %v", res, err)
		}
		for _, hit := range res.Hits {
			if hit.Index != s.URL {
				t.Errorf("got a hit of %q, want %q", hit.Index, s.URL)
			}
		}
		for _, g := range res.Groups {
			if g.Head.Index != s.URL || len(g.Members) != 1 || g.Members[0].Index != s.URL {
				t.Errorf("got %+v", g)
			}
		}
	}
	v, err := set.Submit(ctx, shards.Document{ID: "copy", Data: map[string]any{"text": words(0)}})
	if err != nil || v[0].Of == nil || v[0].Of.Index != s.URL || !slices.Equal(v[0].Unchecked, []string{dead.URL}) {
		t.Errorf("got %+v, %v", v, err)
	}
}
