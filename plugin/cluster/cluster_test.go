package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func submit(t testing.TB, n *cluster.Node, id, text string) shards.Outcome {
	t.Helper()
	v, err := n.Submit(context.Background(), shards.Document{ID: id, Data: map[string]any{"text": text}})
	if err != nil {
		t.Fatal(err)
	}
	return v[0]
}

// Of near-copies that are submitted at once through different nodes exactly one is
// admitted.
func TestPairsAtOnce(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 3, nil)
	pairs := 300
	if testing.Short() {
		pairs = 30
	}
	began := time.Now()
	var all sync.WaitGroup
	next := make(chan int)
	for range 8 {
		all.Go(func() {
			for i := range next {
				var outcomes [2]shards.Outcome
				var both sync.WaitGroup
				for j := range outcomes {
					both.Go(func() {
						n := c.all[string(rune('a'+(i+j)%3))]
						doc := shards.Document{ID: fmt.Sprint(i, "-", j), Data: map[string]any{"text": text(i) + fmt.Sprint("copy", j)}}
						v, err := n.Submit(context.Background(), doc)
						if err != nil {
							t.Error(err)
							return
						}
						outcomes[j] = v[0]
					})
				}
				both.Wait()
				if outcomes[0].Written == outcomes[1].Written {
					t.Errorf("pair %d: %+v", i, outcomes)
				}
			}
		})
	}
	for i := range pairs {
		next <- i
	}
	close(next)
	all.Wait()
	t.Logf("%d pairs in %v", pairs, time.Since(began))
	if got := len(ids(t, c)); got != pairs {
		t.Errorf("%d documents, want %d", got, pairs)
	}
}

// brief returns the documents of the corpus that are not long: on five indexes and more,
// the long ones would take most of the time.
func brief(t testing.TB) []neartest.Doc {
	t.Helper()
	return slices.DeleteFunc(neartest.Shipped(t), func(d neartest.Doc) bool { return len(d.Text) > 10_000 })
}

// leaders groups hits in their order as plain loops do.
func leaders(t testing.TB, x bleve.Index, r *bleve.SearchRequest, texts map[string]string) string {
	t.Helper()
	all := *r
	all.Size = 10000
	res, err := x.Search(&all)
	if err != nil {
		t.Fatal(err)
	}
	rule := signature.Rule{}
	type group struct {
		sig     signature.Signature
		members []string
	}
	var groups []*group
	for _, h := range res.Hits {
		sig := signature.Of(signature.DefaultParams(), []byte(texts[h.ID]))
		at := slices.IndexFunc(groups, func(g *group) bool { return rule.Duplicates(&g.sig, &sig) })
		if at < 0 {
			groups, at = append(groups, &group{sig: sig}), len(groups)
		}
		groups[at].members = append(groups[at].members, h.ID)
	}
	var lines []string
	for _, g := range groups {
		lines = append(lines, strings.Join(g.members, " + "))
	}
	return strings.Join(lines, "\n")
}

// whole has all groups on one page.
func onePage(t testing.TB, c searcher, r *bleve.SearchRequest, o collapse.Options) string {
	t.Helper()
	all := *r
	all.Size = 10000
	res, err := c.Search(context.Background(), &all, o)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, g := range res.Groups {
		ids := []string{g.Head.ID}
		for _, m := range g.Members {
			ids = append(ids, m.ID)
		}
		lines = append(lines, strings.Join(ids, " + "))
	}
	return strings.Join(lines, "\n")
}

// The same documents give the same groups in one index, on four local shards, on four
// behind HTTP and on three nodes, whichever is asked, as plain loops give; and page by
// page.
func TestGroups(t *testing.T) {
	t.Parallel()
	docs := slices.DeleteFunc(brief(t), func(d neartest.Doc) bool { return d.Fields["version"].(float64) < 15 })[:120]
	if testing.Short() {
		docs = docs[:70]
	}
	texts := map[string]string{}
	for _, d := range docs {
		texts[d.ID] = d.Text
	}
	var local, away []bleve.Index
	for i := range 5 {
		x, err := plugin.New("", newMapping())
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		x.SetName(fmt.Sprint("shard ", i))
		local = append(local, x)
		s := httptest.NewServer(shards.Authenticated(key, shards.Handler(x)))
		defer s.Close()
		away = append(away, shards.NewRemote(x.Name(), s.URL+"/", shards.RemoteOptions{Timeout: time.Minute, Key: key}))
	}
	set := func(all ...bleve.Index) *shards.Set {
		s, err := shards.New(newMapping(), shards.Options{}, all...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, four := set(local[4]), set(local[:4]...)
	if err := errors.Join(one.Write(docsOf(docs)...), four.Write(docsOf(docs)...)); err != nil {
		t.Fatal(err)
	}
	c := newNodes(t, 3, nil)
	c.write(docsOf(docs))
	forms := map[string]searcher{"one index": one, "4 local": four, "4 remote": set(away[:4]...), "node a": c.all["a"], "node b": c.all["b"], "node c": c.all["c"]}
	match := bleve.NewMatchQuery("compiler")
	match.SetField("text")
	for _, sort := range [][]string{{"_id"}, {"-version", "_id"}} {
		r := bleve.NewSearchRequestOptions(match, 7, 0, false)
		r.SortBy(sort)
		want := leaders(t, local[4], r, texts)
		if n := strings.Count(want, " + "); n < 2 {
			t.Fatalf("%d hidden: this test shows little", n)
		}
		byText := collapse.Options{Verify: signature.Verify{Resemblance: .99}}
		verified, pages := onePage(t, one, r, byText), groups(t, one, r)
		if verified == want {
			t.Fatal("texts make no difference: this test shows little")
		}
		for name, form := range forms {
			if got := onePage(t, form, r, collapse.Options{}); got != want {
				t.Errorf("%v, %s: got\n%s\nwant\n%s", sort, name, got, want)
			}
			if !strings.HasSuffix(name, "local") { // a remote index gives no texts
				_, err := form.Search(t.Context(), r, byText)
				if errors.Is(err, collapse.ErrRequest) != (name != "one index") {
					t.Errorf("%v, %s, by texts: got error %v", sort, name, err)
				}
			} else if got := onePage(t, form, r, byText); got != verified {
				t.Errorf("%v, %s, by texts: got\n%s\nwant\n%s", sort, name, got, verified)
			}
			checkComplete(t, name, form, r, want)
			if got := groups(t, form, r); got != pages {
				t.Errorf("%v, %s, by pages: got\n%s\nwant\n%s", sort, name, got, pages)
			}
		}
	}
	checkSimilar(t, c, local[4], docs[:20])
}

// checkComplete: if a page says that its groups are complete, they have all members. Local shards say so.
func checkComplete(t *testing.T, name string, form searcher, r *bleve.SearchRequest, want string) {
	t.Helper()
	res, err := form.Search(context.Background(), r, collapse.Options{Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Complete {
		if strings.Contains(name, "local") {
			t.Errorf("%s: groups are not complete", name)
		}
		return
	}
	for i, line := range strings.Split(want, "\n")[:r.Size] {
		got := res.Groups[i].Head.ID
		for _, m := range res.Groups[i].Members {
			got += " + " + m.ID
		}
		if got != line {
			t.Errorf("%s, complete: got %s, want %s", name, got, line)
		}
	}
}

// checkSimilar: the near-duplicates are those in one index.
func checkSimilar(t *testing.T, c *nodes, one bleve.Index, docs []neartest.Doc) {
	t.Helper()
	ctx := context.Background()
	for _, d := range docs {
		r := near.SimilarRequest{Query: near.SimilarQuery{ID: d.ID, MaxShare: 1}}
		want, err := near.Similar(ctx, one, r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.all["b"].Similar(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		if got.Total != want.Total || got.TotalRelation != want.TotalRelation {
			t.Errorf("%s: got %d %s, want %d", d.ID, got.Total, got.TotalRelation, want.Total)
		}
		for i, h := range want.Hits {
			if got.Hits[i].ID != h.ID || got.Hits[i].Match != h.Match {
				t.Errorf("%s: got %+v, want %+v", d.ID, got.Hits[i], h)
			}
		}
	}
}

// What batches admit through one node after the other is what one loop over all pairs
// admits.
func TestSubmit(t *testing.T) {
	t.Parallel()
	docs := brief(t)[:120]
	c := newNodes(t, 3, nil)
	var kept []signature.Signature
	var want []string
	for begin := 0; begin < len(docs); begin += 30 {
		batch := docs[begin:min(begin+30, len(docs))]
		outcomes, err := c.all[string(rune('a'+begin/30%3))].Submit(context.Background(), docsOf(batch)...)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range batch {
			sig := signature.Of(signature.DefaultParams(), []byte(d.Text))
			near := slices.ContainsFunc(kept, func(k signature.Signature) bool { return signature.Rule{}.Duplicates(&k, &sig) })
			if !near {
				kept, want = append(kept, sig), append(want, d.ID)
			}
			if v := outcomes[i]; v.ID != d.ID || v.Written == near || near != (v.Of != nil) || len(v.Unchecked) > 0 {
				t.Errorf("got %+v, want written %t", v, !near)
			}
		}
	}
	slices.Sort(want)
	if len(want) == len(docs) {
		t.Error("no near-duplicates: this test shows little")
	}
	if got := ids(t, c); !slices.Equal(got, want) {
		t.Errorf("got %d documents, want %d", len(got), len(want))
	}
	// A document is no copy of what it replaces, and what is deleted is not there.
	n := c.any()
	if v := submit(t, n, want[0], "none of it"); !v.Written {
		t.Errorf("written again: %+v", v)
	}
	if v := submit(t, n, "copy", docs[0].Text); !v.Written {
		t.Errorf("what it was a copy of was replaced: %+v", v)
	}
	if v := submit(t, n, "another", docs[0].Text); v.Written || v.Of.ID != "copy" {
		t.Errorf("a copy of the copy: %+v", v)
	}
	if err := n.Delete(context.Background(), "copy", "nobody"); err != nil {
		t.Fatal(err)
	}
	if v := submit(t, c.all["c"], "another", docs[0].Text); !v.Written {
		t.Errorf("what it was a copy of was deleted: %+v", v)
	}
	if v, err := n.Submit(context.Background(), shards.Document{ID: "no text", Data: map[string]any{"project": "none"}}); err != nil || !v[0].Written {
		t.Errorf("no text: %+v, error %v", v, err)
	}
}

// What copies would not take is refused before anything is logged, and holds nobody up.
func TestRefused(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, nil)
	n := c.all["a"]
	long := make([]cluster.Document, cluster.MaxDocuments+1)
	for i := range long {
		long[i] = cluster.Document{ID: fmt.Sprint(i), Data: map[string]any{"text": "short"}}
	}
	for name, docs := range map[string][]cluster.Document{
		"null":       {{ID: "a"}},
		"no id":      {{Data: map[string]any{"text": "a"}}},
		"twice":      {{ID: "a", Data: map[string]any{"text": "a"}}, {ID: "a", Data: map[string]any{"text": "b"}}},
		"too large":  {{ID: "a", Data: map[string]any{"text": strings.Repeat("a", cluster.MaxDocument)}}},
		"too many":   long,
		"a reserved": {{ID: "a", Data: map[string]any{signature.Field(signature.DefaultField).Sketch(): "forged"}}},
		"a tag":      {{ID: "a", Data: map[string]any{"neardup_tag": "near"}}},
		"no JSON":    {{ID: "a", Data: make(chan int)}},
	} {
		if v, err := n.Submit(context.Background(), docs...); err == nil || v != nil {
			t.Errorf("%s: got %v, no error", name, v)
		}
	}
	var none context.Context
	if _, err := n.Submit(none, cluster.Document{ID: "a", Data: map[string]any{"text": "a"}}); err == nil {
		t.Error("no context: no error")
	}
	if err := n.Delete(none, "a"); err == nil {
		t.Error("delete without a context: no error")
	}
	submit(t, n, "b", text(1))
	submit(t, n, "\ufffd", text(2))
	for _, id := range []string{"", "\xff", strings.Repeat("a", cluster.MaxID+1)} {
		if err := n.Delete(context.Background(), "b", id); err == nil {
			t.Errorf("delete %.10q: no error", id)
		}
	}
	if got := ids(t, c); !slices.Equal(got, []string{"b", "\ufffd"}) {
		t.Errorf("got %q", got)
	}
}

// What a node cannot work with is an error before it starts.
func TestOptions(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*cluster.Options){
		`id: wanted one without comma and slash, got "a,b"`:             func(o *cluster.Options) { o.ID = "a,b" },
		`url: wanted one as https://node1:9001, got ""`:                 func(o *cluster.Options) { o.URL = "" },
		`url: wanted one as https://node1:9001, got "a:9001"`:           func(o *cluster.Options) { o.URL = "a:9001" },
		`url: wanted one as https://node1:9001, got "ftp://a:9001"`:     func(o *cluster.Options) { o.URL = "ftp://a:9001" },
		`url: wanted one as https://node1:9001, got "http://"`:          func(o *cluster.Options) { o.URL = "http:///" },
		"of 1ms or more, got -1ns, 30s and 10s":                         func(o *cluster.Options) { o.Timeout = -1 },
		"of 1ms or more, got 5s, 3ns and 10s":                           func(o *cluster.Options) { o.Expiry = 3 },
		"of 1ms or more, got 5s, 30s and -1s":                           func(o *cluster.Options) { o.Stale = -time.Second },
		"key: wanted one, got none":                                     func(o *cluster.Options) { o.Key = "" },
		"wanted Cfg, Log and Mapping, got nil":                          func(o *cluster.Options) { o.Log = nil },
		`partial: wanted "closed" or "open", got "ajar"`:                func(o *cluster.Options) { o.Partial = "ajar" },
		`group: wanted partial to be "closed", got "open"`:              func(o *cluster.Options) { o.Group, o.Partial = true, shards.FailOpen },
		`wanted a fingerprinted field, one of ["neardup"], got "other"`: func(o *cluster.Options) { o.Field = "other" },
		"/none": func(o *cluster.Options) { o.Dir += "/none" },
	} {
		o := alone(t)
		change(&o)
		n, err := cluster.Start(o)
		if err == nil {
			n.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
