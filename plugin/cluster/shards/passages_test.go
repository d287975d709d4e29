package shards_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// quoted is a mapping with passages of 15 words, whose texts are stored or not.
func quoted(t testing.TB, stored bool) *mapping.IndexMappingImpl {
	t.Helper()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("quoted", map[string]any{"type": neardup.Name, "passages": 15}); err != nil {
		t.Fatal(err)
	}
	text, project := bleve.NewTextFieldMapping(), bleve.NewTextFieldMapping()
	text.Store, project.Analyzer = stored, keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("text", text, plugin.FieldMapping("quoted"))
	m.DefaultMapping.AddFieldMappingsAt("project", project)
	return m
}

// layouts are the same documents in one index, in three local ones, in three behind HTTP, and in one local and two
// behind HTTP, of which one serves an alias.
func layouts(t *testing.T, stored bool, docs map[string]map[string]any) (one *shards.Set, others map[string]*shards.Set, all []bleve.Index) {
	t.Helper()
	var three []bleve.Index
	for i := range 4 {
		x, err := plugin.New("", quoted(t, stored))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(fmt.Sprint("shard ", i))
		three = append(three, x)
	}
	all = three
	set := func(all ...bleve.Index) *shards.Set {
		s, err := shards.New(quoted(t, stored), shards.Options{}, all...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, three = set(three[0]), three[1:]
	away := overHTTP(t, three)
	pair := bleve.NewIndexAlias(three[1], three[2])
	pair.SetName("two of them")
	others = map[string]*shards.Set{"local": set(three...), "remote": set(away...), "mixed": set(three[0], away[1], three[2]), "an alias": set(three[0], overHTTP(t, []bleve.Index{pair})[0])}
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		for _, x := range []bleve.Index{all[0], three[i%3]} {
			if err := x.Index(id, docs[id]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return one, others, all
}

// quotes are manuals cut short, with passages of one another, some with an id or a text that is not UTF-8.
func quotes(t *testing.T) map[string]map[string]any {
	t.Helper()
	rnd := rand.New(rand.NewPCG(91, 92))
	shipped := neartest.Shipped(t)
	part := func(n int) string {
		words := strings.Fields(shipped[rnd.IntN(len(shipped))].Text)
		from := rnd.IntN(len(words))
		return strings.Join(words[from:min(len(words), from+n)], " ")
	}
	docs := map[string]map[string]any{}
	for i := range 24 {
		d := shipped[i/2*2*len(shipped)/24]
		words := strings.Fields(d.Text)
		id := fmt.Sprint(d.ID, " ", i)
		if i%9 == 0 {
			id += "\u00ff"
		}
		docs[id] = map[string]any{"text": []string{strings.Join(words[:min(len(words), 120)], " ") + "\n" + part(60), part(1 + i*3)}, "project": d.Fields["project"]}
	}
	return docs
}

// of is what a result says, without the time, the names of shards, and whether all of them told what they passed over.
func of(t *testing.T, r *near.PassagesResult) string {
	t.Helper()
	own := *r
	own.Took, own.Status, own.TotalRelation, own.Hits = 0, nil, "", slices.Clone(r.Hits)
	for i := range own.Hits {
		own.Hits[i].Index = ""
	}
	data, err := json.MarshalIndent(own, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// estimated is a result without what only the process knows that has the documents.
func estimated(r *near.PassagesResult) *near.PassagesResult {
	own := *r
	own.Hits = slices.Clone(r.Hits)
	for i := range own.Hits {
		own.Hits[i].InHit.StdErr, own.Hits[i].OfHit = 0, sketch.Estimate{}
	}
	return &own
}

// Passages over shards, local ones, ones behind HTTP, and both, are those of one index: hits, shares, spans and totals on each page, by id and by text,
// with Within and filters, by either back end, and where texts are not stored. Package passages compares one index with plain loops.
func TestPassages(t *testing.T) {
	t.Parallel()
	docs := quotes(t)
	clang := query.NewTermQuery("clang")
	clang.SetField("project")
	for _, stored := range []bool{true, false} {
		one, others, _ := layouts(t, stored, docs)
		hits, verified := uint64(0), 0
		for i, id := range slices.Sorted(maps.Keys(docs)) {
			if i%3 != 0 {
				continue
			}
			for n, r := range []near.PassagesRequest{
				{Query: near.PassagesQuery{ID: id, MaxShare: 1}, Size: 3},
				{Query: near.PassagesQuery{ID: id, Self: true, Within: []string{"project"}}, Size: 5, Fields: []string{"project"}},
				{Query: near.PassagesQuery{Text: docs[id]["text"].([]string), Least: 20}, Filter: clang, Fields: []string{"*"}},
				{Query: near.PassagesQuery{Text: []string{"\u00ff " + docs[id]["text"].([]string)[0]}}, Size: 2, From: 1},
			} {
				want, err := one.Passages(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				hits += want.Total
				for _, h := range want.Hits {
					if h.Verified {
						verified++
					}
				}
				for name, set := range others {
					got, err := set.Passages(t.Context(), r)
					want := want
					if !stored && name != "local" { // nothing is known of what other processes have not stored
						if r.Query.ID != "" {
							if err == nil || !strings.Contains(err.Error(), "wanted one whose text is stored") {
								t.Errorf("%s: got error %v", name, err)
							}
							continue
						}
						got, want = estimated(got), estimated(want)
					}
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if exact := r.Query.MaxShare == 1 || name == "local"; exact != (got.TotalRelation == bleve.TotalRelationEq) {
						t.Errorf("%s: got relation %q", name, got.TotalRelation)
					}
					if a, b := of(t, got), of(t, want); a != b {
						t.Fatalf("%s, stored %v, %q, %d: got\n%.2000s\nwant\n%.2000s", name, stored, id, n, a, b)
					}
					if got.Status.Failed > 0 || got.Status.Total != got.Status.Successful {
						t.Errorf("%s: got status %+v", name, got.Status)
					}
				}
			}
		}
		if hits < 30 || (verified > 0) != stored {
			t.Errorf("stored %v: %d hits, %d verified: this test shows little", stored, hits, verified)
		}
	}
}

// What templates leave out and what too many documents have is passed over in each shard, and told by all.
func TestPassagesTemplates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(93, 94))
	some := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%d ", rnd.IntN(1<<30))
		}
		return b.String()
	}
	footer, rare := some(40), some(40)
	docs := map[string]map[string]any{}
	for i := range 60 {
		docs[fmt.Sprint("page ", i)] = map[string]any{"text": some(30) + footer, "project": "roses"}
	}
	one, others, all := layouts(t, true, docs)
	found, err := templates.Learn(t.Context(), all[0], templates.Options{Scope: "project"})
	if err != nil || len(found.Scopes) != 1 {
		t.Fatal(found, err)
	}
	for _, x := range all {
		if _, err := templates.Use(t.Context(), x, found); err != nil {
			t.Fatal(err)
		}
	}
	more := map[string]map[string]any{"a": {"text": rare + some(10) + footer, "project": "roses"}, "b": {"text": some(20) + rare + footer, "project": "roses"}}
	for i, id := range []string{"a", "b"} {
		for _, x := range []bleve.Index{all[0], all[1+i]} {
			if err := x.Index(id, more[id]); err != nil {
				t.Fatal(err)
			}
		}
	}
	want, err := one.Passages(t.Context(), near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}})
	if err != nil || len(want.Hits) != 1 || want.Hits[0].ID != "b" || want.Templates == 0 || want.TotalRelation != bleve.TotalRelationGte {
		t.Fatalf("got %+v, %v", want, err)
	}
	for name, set := range others {
		got, err := set.Passages(t.Context(), near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}})
		if err != nil {
			t.Fatal(name, err)
		}
		members := map[string]int{"local": 3, "mixed": 2, "an alias": 1}[name]
		if got.Templates != members*want.Templates || got.TotalRelation != bleve.TotalRelationGte { // each index of this process tells of its own lookup
			t.Errorf("%s: got %d of templates, want %d times %d", name, got.Templates, members, want.Templates)
		}
		got.Templates = want.Templates
		if a, b := of(t, got), of(t, want); a != b {
			t.Errorf("%s: got\n%s\nwant\n%s", name, a, b)
		}
	}
}

// A shard that does not answer, or answers something else, is named, and never reads as one without passages.
func TestPassagesFailure(t *testing.T) {
	t.Parallel()
	docs := map[string]map[string]any{"a": {"project": "p", "text": strings.Join(strings.Split("abcdefghijklmnopqrstuvwxyz", ""), " ")}}
	_, others, all := layouts(t, true, docs)
	answers := func(status int, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		})
	}
	by := func(h http.Handler) bleve.Index {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return shards.NewRemote("broken", s.URL, shards.RemoteOptions{Timeout: time.Minute})
	}
	text := near.PassagesRequest{Query: near.PassagesQuery{Text: []string{docs["a"]["text"].(string)}}}
	for want, h := range map[string]http.Handler{
		"500 Internal Server Error: no":    answers(500, "no"),
		"status <nil>":                     answers(200, "{}"),
		"unexpected end of JSON":           answers(200, ""),
		"limit fields: wanted at most 1,":  shards.GuardedHandler(all[1], &serve.Guard{Limits: serve.Limits{Fields: 1}}),
		"limit body: wanted at most 20":    shards.GuardedHandler(all[1], &serve.Guard{Limits: serve.Limits{Body: 20}}),
		"limit hits: wanted at most 9":     shards.GuardedHandler(all[1], &serve.Guard{Limits: serve.Limits{Hits: 9}}),
		"wanted an analyzer with the opti": shards.Handler(locals(t, 1)[0]),
	} {
		r := text
		for _, p := range []shards.Partial{shards.FailClosed, shards.FailOpen} {
			set, err := shards.New(quoted(t, true), shards.Options{Partial: p}, all[1], by(h))
			if err != nil {
				t.Fatal(err)
			}
			got, err := set.Passages(t.Context(), r)
			if got == nil || (err != nil) != (p == shards.FailClosed) || got.Total != 1 || got.TotalRelation != bleve.TotalRelationGte || got.Status.Failed != 1 ||
				!reflect.DeepEqual(shards.Missing(got.Status), []string{"broken"}) || !strings.Contains(got.Status.Errors["broken"].Error(), want) {
				t.Errorf("%s, %s: got %+v, %v", want, p, got, err)
			}
		}
	}
	// A document that no shard has is not there; whether one that does not answer has it is not known.
	unknown := near.PassagesRequest{Query: near.PassagesQuery{ID: "b"}}
	if _, err := others["remote"].Passages(t.Context(), unknown); err == nil || err.Error() != `near: id "b": no such document` {
		t.Errorf("got %v", err)
	}
	alias := bleve.NewIndexAlias(all[1], by(answers(500, "no")))
	if _, err := near.Passages(t.Context(), alias, unknown); err == nil || !strings.Contains(err.Error(), `near: id "b": 1 of 2 members failed: broken: shard "broken": 500`) {
		t.Errorf("got %v", err)
	}
	if _, err := others["an alias"].Passages(t.Context(), near.PassagesRequest{Query: near.PassagesQuery{ID: "a"}}); err != nil {
		t.Errorf("got %v", err)
	}
}
