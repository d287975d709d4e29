package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

// long has enough shingles for a change of one word to leave it a near-copy.
var long = sentence + ", and then it runs to the river where the ducks swim in the shade of an old tree that the storm of last year has bent so far " +
	"that its leaves touch the water whenever the wind blows from the hills behind the village with the white church and the two mills"

// explained asks for the explanation of all members.
func explained(t *testing.T, x bleve.Index, o collapse.Options) *collapse.Result {
	t.Helper()
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 1000
	if o.Explain == nil {
		o.Explain = &explain.Options{Members: 1000, Shingles: 1 << 20}
	}
	res, err := collapse.Search(context.Background(), x, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The numbers are those of exact sets, in both forms, over an alias and by JSON.
func TestExplainAgainstOracle(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	shingles := map[string]map[string]struct{}{}
	for i, d := range neartest.Shipped(t) {
		if i%4 == 3 || len(docs) == size(200, 60) || len(d.Text) > size(20_000, 8000) {
			continue
		}
		docs[d.ID] = page{Body: d.Text}
		var words []string
		for _, token := range token.Split([]byte(d.Text)) {
			words = append(words, string(token.Term))
		}
		shingles[d.ID] = neartest.Shingles(words, signature.DefaultParams().Width)
	}
	one, alias := shards(t, "", docs)
	for name, tt := range map[string]struct {
		x bleve.Index
		o collapse.Options
	}{
		"page":     {one, collapse.Options{}},
		"whole":    {one, collapse.Options{Whole: true}},
		"annotate": {one, collapse.Options{Visible: -1}},
		"alias":    {alias, collapse.Options{}},
		"remote":   {remote{alias}, collapse.Options{}},
	} {
		if testing.Short() && name != "whole" && name != "alias" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			members := 0
			for _, g := range explained(t, tt.x, tt.o).Groups {
				head := shingles[g.Head.ID]
				for _, m := range g.Members {
					members++
					own, e := shingles[m.ID], m.Explanation
					if e == nil {
						t.Fatalf("%s under %s: %s", m.ID, g.Head.ID, m.Unexplained)
					}
					both := maps.Clone(own)
					maps.DeleteFunc(both, func(s string, _ struct{}) bool { _, ok := head[s]; return !ok })
					if e.Shared != len(both) || e.Head.Own != len(head)-len(both) || e.Member.Own != len(own)-len(both) {
						t.Errorf("%s under %s: %d shared, %d and %d own; want %d, %d, %d", m.ID, g.Head.ID,
							e.Shared, e.Head.Own, e.Member.Own, len(both), len(head)-len(both), len(own)-len(both))
					}
					for _, p := range slices.Concat(e.Member.OwnText, e.Member.SharedText) {
						if !strings.HasPrefix(docs[m.ID].Body[p.Start:p.End], p.Text) || p.Field != "body" || len(p.Text) > 1000 {
							t.Errorf("%s: %+v is not in its text", m.ID, p)
						}
					}
				}
			}
			if members < size(50, 8) {
				t.Errorf("%d members: this test shows nothing", members)
			}
		})
	}
}

func TestExplainJSON(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: long}, "b": {Body: strings.Replace(long, "river", "sea", 1)}})
	code, answer := ask(&serve.Handler{Index: index}, "POST",
		`{"query":{"match_all":{}},"sort":["_id"],"collapse":{"rule":{"lanes":80},"explain":{"shingles":2}}}`)
	var got struct {
		Groups []struct {
			Members []struct{ Explanation json.RawMessage }
		}
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || code != 200 || len(got.Groups) != 1 {
		t.Fatalf("status %d, error %v: %s", code, err, answer)
	}
	const want = `{"shared":66,` +
		`"head":{"own":4,"own_text":[{"field":"body","start":112,"end":135,"shingles":2,"text":"runs to the river where"}],` +
		`"shared_text":[{"field":"body","start":0,"end":25,"shingles":2,"text":"the quick brown fox jumps"}]},` +
		`"member":{"own":4,"own_text":[{"field":"body","start":112,"end":133,"shingles":2,"text":"runs to the sea where"}],` +
		`"shared_text":[{"field":"body","start":0,"end":25,"shingles":2,"text":"the quick brown fox jumps"}]}}`
	if e := string(got.Groups[0].Members[0].Explanation); e != want {
		t.Errorf("got  %s\nwant %s", e, want)
	}
	for body, want := range map[string]string{
		`{"members":-1}`:    "explain: members: wanted 0 or more, got -1",
		`{"shingles":-1}`:   "explain: shingles: wanted 0 or more, got -1",
		`{"shingle":1}`:     `got \"shingle\"`,
		`{"members":1001}`:  "limit hits: wanted at most 1000, got 1001",
		`{"shingles":1001}`: "limit hits: wanted at most 1000, got 1001",
	} {
		code, answer := ask(&serve.Handler{Index: index}, "POST", `{"query":{"match_all":{}},"collapse":{"explain":`+body+`}}`)
		if code != 400 || !strings.Contains(answer, want) {
			t.Errorf("%s: got %d %s, want 400 with %s", body, code, answer, want)
		}
	}
}

// The text is found wherever the mapping has it stored, by whichever analyzer.
func TestExplainMappings(t *testing.T) {
	t.Parallel()
	html := bleve.NewIndexMapping()
	if err := html.AddCustomAnalyzer("pages", map[string]any{"type": neardup.Name, "char_filters": []any{"neardup_html"}, "seed": 7, "bag": true}); err != nil {
		t.Fatal(err)
	}
	html.DefaultMapping.AddFieldMappingsAt("text", bleve.NewTextFieldMapping(), plugin.FieldMapping("pages"))
	own := bleve.NewIndexMapping()
	field := plugin.FieldMapping(neardup.Name)
	field.Store = true
	own.DefaultMapping.AddFieldMappingsAt("text", bleve.NewTextFieldMapping(), field)
	sub := bleve.NewIndexMapping()
	part := bleve.NewDocumentMapping()
	plugin.AddSignature(part, "text", "title")
	sub.DefaultMapping.AddSubDocumentMapping("part", part)
	typed := bleve.NewIndexMapping()
	kind := bleve.NewDocumentMapping()
	plugin.AddSignature(kind, "text")
	typed.AddDocumentMapping("kind", kind)
	dynamic := bleve.NewIndexMapping()
	dynamic.DefaultAnalyzer = neardup.Name
	bare := bleve.NewIndexMapping()
	lean := bleve.NewTextFieldMapping()
	lean.Store = false
	bare.DefaultMapping.AddFieldMappingsAt("text", lean, plugin.FieldMapping(neardup.Name))

	type doc = map[string]any
	changed := strings.Replace(long, "river", "sea", 1)
	for name, tt := range map[string]struct {
		m     *mapping.IndexMappingImpl
		field string
		doc   func(text string) doc
		in    string // the field of the passage; "" if there is none
	}{
		"html": {html, "neardup", func(text string) doc { return doc{"text": strings.ReplaceAll(text, "o", "<b>o</b>")} }, "text"},
		"own":  {own, "neardup", func(text string) doc { return doc{"text": text} }, "neardup"},
		"sub":  {sub, "part.neardup", func(text string) doc { return doc{"part": doc{"title": "a title", "text": []any{text, "second"}}} }, "part.text"},
		"type": {typed, "neardup", func(text string) doc { return doc{"_type": "kind", "text": text} }, "text"},
		"dyn":  {dynamic, "text", func(text string) doc { return doc{"text": text} }, "text"},
		"bare": {bare, "neardup", func(text string) doc { return doc{"text": text} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, err := plugin.New("", tt.m)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if err := errors.Join(x.Index("a", tt.doc(long)), x.Index("b", tt.doc(changed))); err != nil {
				t.Fatal(err)
			}
			res := explained(t, x, collapse.Options{Field: tt.field, Rule: signature.Rule{Lanes: 80}, Explain: &explain.Options{}})
			if len(res.Groups) != 1 || len(res.Groups[0].Members) != 1 {
				t.Fatalf("got groups %+v", res.Groups)
			}
			m := res.Groups[0].Members[0]
			if tt.in == "" {
				if want := `document "a": wanted the text of its signature in the stored fields ["neardup"], got none or another`; m.Explanation != nil || !strings.Contains(m.Unexplained, want) {
					t.Errorf("got %+v, %q, want %q", m.Explanation, m.Unexplained, want)
				}
				return
			}
			if m.Explanation == nil || len(m.Explanation.Member.OwnText) != 1 {
				t.Fatalf("got %+v, %q", m.Explanation, m.Unexplained)
			}
			p := m.Explanation.Member.OwnText[0]
			if p.Field != tt.in || p.Text != "runs to the sea where the ducks" || p.Shingles != 4 || m.Explanation.Shared != 66 {
				t.Errorf("got %+v, %d shared", p, m.Explanation.Shared)
			}
		})
	}
}

// What cannot be explained is said, and the rest explained.
func TestExplainLimits(t *testing.T) {
	t.Parallel()
	docs := map[string]page{"f none": {Project: "p"}, "g none": {Project: "p"}}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		docs[id] = page{Body: strings.Repeat("x", 600) + " " + strings.Repeat("é", 600) + " " + long}
	}
	x := newIndex(t, docs)
	res := explained(t, x, collapse.Options{By: &collapse.By{Field: "project", Or: true}, Explain: &explain.Options{Shingles: 3}})
	members := res.Groups[0].Members
	for i, m := range members {
		if (m.Explanation != nil) != (i < 3) {
			t.Errorf("member %d of %d: explanation %v", i, len(members), m.Explanation)
		}
	}
	p := members[0].Explanation.Member.SharedText[0]
	if len(members) != 4 || p.Shingles != 3 || len(p.Text) != 999 || p.End < 1800 || !strings.HasSuffix(p.Text, "é") {
		t.Errorf("%d members, %d shingles, %d of %d bytes", len(members), p.Shingles, len(p.Text), p.End)
	}
	if m := res.Groups[1].Members[0]; m.Explanation != nil || !strings.Contains(m.Unexplained, `"f none": no signature stored`) {
		t.Errorf("got %v, %q", m.Explanation, m.Unexplained)
	}
}

// ask posts a request and returns the status and the answer.
func ask(h http.Handler, method, body string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "/search", strings.NewReader(body)))
	return w.Code, w.Body.String()
}
