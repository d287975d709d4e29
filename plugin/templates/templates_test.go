package templates_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

var ctx = context.Background()

// page is a document.
type page struct {
	Site string `json:"site"`
	Body string `json:"body"`
}

func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	body := bleve.NewTextFieldMapping()
	body.Index, body.IncludeInAll, body.IncludeTermVectors, body.DocValues = false, false, false, false // for the time that takes
	m.DefaultMapping.AddFieldMappingsAt("body", body)
	plugin.AddSignature(m.DefaultMapping, "body")
	site := bleve.NewKeywordFieldMapping()
	m.DefaultMapping.AddFieldMappingsAt("site", site)
	return m
}

func newIndex(t testing.TB, path string) bleve.Index {
	t.Helper()
	x, err := plugin.New(path, newMapping())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func write(t testing.TB, x bleve.Index, pages map[string]page) {
	t.Helper()
	b := x.NewBatch()
	for id, p := range pages {
		if err := b.Index(id, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
}

// twoSites are pages of two sites with templates of 900 words: texts of their own, and
// some texts that stand on both.
func twoSites(t testing.TB, each, both, size int) (pages map[string]page, mirrored []string) {
	bodies := bodiesOf(t, size, 2*each+both)
	pages = map[string]page{}
	for n, name := range []string{"a", "b"} {
		site := siteOf(t, uint64(n+1), 900)
		for i, body := range bodies[n*each : (n+1)*each] {
			pages[fmt.Sprintf("%s-own-%04d", name, i)] = page{name, site(body)}
		}
		for i, body := range bodies[2*each:] {
			pages[fmt.Sprintf("%s-both-%04d", name, i)] = page{name, site(body)}
		}
	}
	return pages, bodies[2*each:]
}

// folded returns which pages a search for all hides, by their head.
func folded(t testing.TB, x bleve.Index) map[string]string {
	t.Helper()
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.Size = 10_000
	res, err := collapse.Search(ctx, x, r, collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hidden := map[string]string{}
	for hit, place := range res.All() {
		for _, c := range place.Copies {
			hidden[c.ID] = hit.ID
		}
	}
	return hidden
}

func use(t testing.TB, x bleve.Index, o templates.Options) *templates.Templates {
	t.Helper()
	found, err := templates.Learn(ctx, x, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := templates.Use(ctx, x, found); err != nil {
		t.Fatal(err)
	}
	return found
}

// Learn tells what it read and found. What fifteen of 200 pages have besides is of the template without a scope, which
// counts documents, and not within one, where a tenth of them must have it.
func TestReport(t *testing.T) {
	t.Parallel()
	m, unstored := newMapping(), bleve.NewTextFieldMapping()
	unstored.Store = false
	m.DefaultMapping.AddFieldMappingsAt("unstored", unstored)
	plugin.AddSignature(m.DefaultMapping, "unstored")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	site, banner, bodies := siteOf(t, 1, 900), siteOf(t, 2, 80), bodiesOf(t, 50, 230)
	var texts []string // that are stored, and different
	for i, body := range bodies {
		data, copies := map[string]string{"site": "a"}, 1
		switch {
		case i < 15:
			body = site(banner(body))
		case i < 200:
			body = site(body)
		case i < 203:
			data["unstored"] = site(body)
		case i < 207:
			data["site"] = "few"
		default:
			data["site"] = "plain"
		}
		if data["unstored"] == "" {
			data["body"], texts = body, append(texts, body)
		}
		if i < 5 {
			copies = 2
		}
		for n := range copies {
			if err := x.Index(fmt.Sprint(i, " ", n), data); err != nil {
				t.Fatal(err)
			}
		}
	}
	// shingles counts those that stand in so many of the texts.
	shingles := func(texts []string, least int) (n int) {
		in := map[string]int{}
		for _, text := range texts {
			var words []string
			for _, token := range token.Split([]byte(text)) {
				words = append(words, string(token.Term))
			}
			for s := range neartest.Shingles(words, 4) {
				in[s]++
			}
		}
		for _, documents := range in {
			if documents >= least {
				n++
			}
		}
		return n
	}
	one := func(name string, documents, least int, texts []string) []templates.Scope {
		return []templates.Scope{{Name: name, Documents: uint64(documents), Copies: 5, Least: uint64(least), Shingles: shingles(texts, least)}}
	}
	all := templates.Templates{Sampled: 235, Unread: 3, Scopes: one("", 227, 10, texts)}
	twenty, scoped := all, templates.Templates{Sampled: 231, Unread: 3, Without: 2, ScopeField: "site", Scopes: one("a", 200, 20, texts[:200])}
	twenty.Scopes = one("", 227, 20, texts)
	fewer := scoped
	fewer.Scopes = one("a", 200, 10, texts[:200])
	for _, tt := range []struct {
		o      templates.Options
		want   templates.Templates
		banner bool // is of the template
	}{
		{templates.Options{}, all, true},
		{templates.Options{Options: template.Options{Documents: 20}}, twenty, false},
		{templates.Options{Scope: "site"}, scoped, false},
		{templates.Options{Scope: "site", Options: template.Options{Share: .05}}, fewer, true},
	} {
		found, err := templates.Learn(ctx, x, tt.o)
		if err != nil || len(found.Scopes) != 1 {
			t.Fatal(found, err)
		}
		s := &found.Scopes[0]
		hashes := signature.DefaultParams().Hashes(nil, []byte(banner("")))
		if got := len(s.Set.Runs(hashes)) > 0; got != tt.banner {
			t.Errorf("%+v: the banner is in the template: %v", tt.o, got)
		}
		s.Set, s.Passages, s.LeftOut, tt.want.Field = nil, nil, 0, plugin.Field
		if !reflect.DeepEqual(*found, tt.want) {
			t.Errorf("%+v: got %+v, want %+v", tt.o, *found, tt.want)
		}
	}
}

// Different texts in one template hide each other, and one text under two templates does not
// fold; with the templates of both sites in use it is the other way round.
func TestSites(t *testing.T) {
	t.Parallel()
	for _, size := range []int{50, 100} {
		pages, mirrored := twoSites(t, 60, 40, size)
		x := newIndex(t, "")
		write(t, x, pages)
		before := folded(t, x)
		if len(before) < 20 {
			t.Errorf("%d words: %d of %d pages are hidden as they are: the test shows little", size, len(before), len(pages))
		}
		found := use(t, x, templates.Options{Scope: "site"})
		if len(found.Scopes) != 2 || found.Scopes[0].Name != "a" || found.Scopes[1].Name != "b" || found.Without != 0 || found.Sampled != uint64(len(pages)) || found.Unread != 0 {
			t.Fatalf("got %+v", found)
		}
		for _, s := range found.Scopes {
			if s.Documents != 100 || s.LeftOut < .7 || len(s.Passages) == 0 || s.Passages[0].Documents < 95 || s.Passages[0].Words < 8 {
				t.Errorf("got %+v", s)
			}
		}
		if now := folded(t, x); len(now) != len(before) {
			t.Errorf("Use has changed what was written: %d hidden, and %d before", len(now), len(before))
		}
		write(t, x, pages)
		wrong, copies := 0, 0
		for member, head := range folded(t, x) {
			if strings.Contains(member, "both") && member[1:] == head[1:] {
				copies++
			} else {
				wrong++
			}
		}
		if wrong > 0 || copies < len(mirrored)*95/100 {
			t.Errorf("%d words: %d different pages hidden, want 0; %d of %d mirrored found", size, wrong, copies, len(mirrored))
		}
	}
}

// signatures are those of all documents of an index, as text.
func signatures(t testing.TB, x bleve.Index) map[string]string {
	t.Helper()
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.Size, r.Fields = 10_000, []string{signature.Field(plugin.Field).Sketch()}
	res, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, hit := range res.Hits {
		all[hit.ID] = hit.Fields[signature.Field(plugin.Field).Sketch()].(string)
	}
	return all
}

// naive signs a page after the passages that many pages of its site have were cut out of the text,
// by words.
func naive(t testing.TB, x bleve.Index, set *templates.Templates, p page) string {
	t.Helper()
	a, err := neardup.Of(x.Mapping(), plugin.Field)
	if err != nil {
		t.Fatal(err)
	}
	m, err := signature.NewMaker(a.Params())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set.Scopes {
		if s.Name == p.Site {
			if err := m.Without(s.Set); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.Text([]byte(p.Body))
	sig := m.Signature()
	if sig.Tokens == 0 {
		sig = signature.Of(a.Params(), []byte(p.Body))
	}
	text, err := sig.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is in use is kept with the index, is carried to a new one by backfill, and signs
// documents by the scope that they have.
func TestKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path)
	pages, _ := twoSites(t, 30, 5, 60)
	write(t, x, pages)
	before := signatures(t, x)
	alias := bleve.NewIndexAlias(x)
	found := use(t, alias, templates.Options{Scope: "site"})
	data, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	read := new(templates.Templates)
	if err := json.Unmarshal(data, read); err != nil {
		t.Fatal(err)
	}
	if _, err := templates.Use(ctx, x, read); err != nil {
		t.Errorf("read from JSON: %v", err)
	}
	x.Close()
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	kept, err := templates.InUse(x, "")
	if err != nil || len(kept.Scopes) != 2 || kept.ScopeField != "site" {
		t.Fatalf("opened again: got %+v, %v", kept, err)
	}
	template := strings.ReplaceAll(pages["a-own-0000"].Body, corpusBody(t, 0, 60), "")
	pages["empty"] = page{"a", template}
	pages["other"] = page{"c", pages["a-own-0001"].Body}
	pages["none"] = page{"", pages["a-own-0002"].Body}
	write(t, x, pages)
	now := signatures(t, x)
	for id, p := range pages {
		if want := naive(t, x, found, p); now[id] != want {
			t.Errorf("%s: wanted the signature of the page without what its site's pages share, got another", id)
		}
		if strings.Contains(id, "own") && now[id] == before[id] {
			t.Errorf("%s: its signature has not changed", id)
		}
	}
	stats := x.StatsMap()["index"].(map[string]any)
	if stats["neardup_shortened"] != uint64(len(pages)-3) || fmt.Sprint(stats["neardup_templates"]) == "map[]" {
		t.Errorf("got %v shortened, templates %v, want %d", stats["neardup_shortened"], stats["neardup_templates"], len(pages)-3)
	}

	if err := templates.Drop(ctx, x, ""); err != nil {
		t.Fatal(err)
	}
	if kept, err := templates.InUse(x, ""); err != nil || len(kept.Scopes) != 0 {
		t.Errorf("dropped: got %+v, %v", kept, err)
	}
	write(t, x, pages)
	for id, sig := range signatures(t, x) {
		if before[id] != "" && sig != before[id] {
			t.Errorf("%s: after Drop it is not signed as at first", id)
		}
	}
}

// corpusBody is the n-th text of the pages.
func corpusBody(t testing.TB, n, size int) string {
	return bodiesOf(t, size, n+1)[n]
}

// A text that is looked up or signed for an index is signed as its documents are, and so is
// what is explained.
func TestTexts(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	pages, _ := twoSites(t, 30, 5, 100)
	write(t, x, pages)
	found := use(t, x, templates.Options{Scope: "site"})
	write(t, x, pages)
	now := signatures(t, x)
	const id = "b-own-0007"
	for _, index := range []bleve.Index{x, bleve.NewIndexAlias(x)} {
		sig, err := plugin.SignScoped(index, plugin.Field, "b", pages[id].Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := sig.MarshalText(); string(text) != now[id] {
			t.Error("SignScoped signs otherwise than the index")
		}
		whole, err := plugin.Sign(index, plugin.Field, pages[id].Body)
		if err != nil || whole.Tokens <= sig.Tokens {
			t.Errorf("Sign, of no scope: got %d tokens, %v; of the scope there are %d", whole.Tokens, err, sig.Tokens)
		}
	}
	text := near.SimilarQuery{Text: []string{pages["a-both-0003"].Body}, TextScope: "a", MaxShare: 1}
	res, err := near.Similar(ctx, x, near.SimilarRequest{Query: text})
	if err != nil || len(res.Hits) != 2 {
		t.Fatalf("near.Similar: got %+v, %v", res, err)
	}
	plain, err := x.Search(bleve.NewSearchRequest(&text))
	if err != nil || len(plain.Hits) != 2 {
		t.Fatalf("near.SimilarQuery: got %+v, %v", plain, err)
	}
	data, err := json.Marshal(&text)
	if back := new(near.SimilarQuery); err != nil || json.Unmarshal(data, back) != nil || back.TextScope != "a" {
		t.Errorf("in JSON: %s, %v", data, err)
	}

	pairs := []explain.Pair{{Head: explain.Document{ID: "a-both-0003"}, Member: explain.Document{ID: "b-both-0003"}}}
	if err := explain.Pairs(ctx, x, "", explain.Options{}, pairs); err != nil || pairs[0].Err != nil {
		t.Fatal(err, pairs[0].Err)
	}
	head := corpusBody(t, 63, 100) // after 30 of each site
	a, err := neardup.Of(x.Mapping(), plugin.Field)
	if err != nil {
		t.Fatal(err)
	}
	_, tokens := a.Tokens([]byte(head))
	if got := pairs[0].Explanation; got.Shared < len(tokens)-13 || got.Shared > len(tokens) || got.Head.Own > 10 || got.Member.Own > 10 {
		t.Errorf("explained: got %+v of a text of %d tokens", got, len(tokens))
	}

	// Members that leave out different templates have no one signature of a text.
	y := newIndex(t, "")
	both := bleve.NewIndexAlias(x, y)
	if _, err := near.Similar(ctx, both, near.SimilarRequest{Query: text}); err == nil || !strings.Contains(err.Error(), "got 2 that differ") {
		t.Errorf("an alias of indexes that differ: got %v", err)
	}
	if _, err := templates.Use(ctx, y, found); err != nil {
		t.Fatal(err)
	}
	if res, err := near.Similar(ctx, both, near.SimilarRequest{Query: text}); err != nil || len(res.Hits) != 2 {
		t.Errorf("an alias of indexes that agree: got %+v, %v", res, err)
	}
}

// While others write, each document is signed in one way or the other, and in the new way after
// Use has returned.
func TestUseConcurrently(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	pages, _ := twoSites(t, 15, 0, 60)
	write(t, x, pages)
	before := signatures(t, x)
	found, err := templates.Learn(ctx, x, templates.Options{Scope: "site"})
	if err != nil {
		t.Fatal(err)
	}
	after := map[string]string{}
	for id, p := range pages {
		after[id] = naive(t, x, found, p)
	}
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for {
				for id, p := range pages {
					if err := x.Index(id, p); err != nil {
						t.Error(err)
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			}
		})
	}
	for range 10 {
		if _, err := templates.Use(ctx, x, found); err != nil {
			t.Error(err)
		}
		write(t, x, map[string]page{"a-own-0000": pages["a-own-0000"]})
		for id, sig := range signatures(t, x) {
			if sig != before[id] && sig != after[id] || id == "a-own-0000" && sig != after[id] {
				t.Errorf("%s: signed in neither way, or in the old one", id)
			}
		}
		if err := templates.Drop(ctx, x, ""); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	writers.Wait()
}

// What is kept and cannot be read, or does not fit the mapping, is an error when the index is
// opened, by whatever way.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	pages, _ := twoSites(t, 12, 0, 60)
	write(t, x, pages)
	use(t, x, templates.Options{})
	key := []byte("neardup/templates/" + plugin.Field)
	right, err := x.GetInternal(key)
	if err != nil || right == nil {
		t.Fatal(right, err)
	}
	later := slices.Clone(right)
	later[0] = 3
	for _, tt := range []struct {
		name, field string
		value       []byte
		want        string
	}{
		{"damaged", plugin.Field, right[:len(right)-1], "malformed stored form"},
		{"later", plugin.Field, later, "version: wanted 2, got 3"},
		{"another field", "nosuch", right, `templates of field "nosuch"`},
	} {
		path := filepath.Join(t.TempDir(), "x")
		y := newIndex(t, path)
		in, err := y.Advanced()
		if err != nil {
			t.Fatal(err)
		}
		b := index.NewBatch()
		b.SetInternal([]byte("neardup/templates/"+tt.field), tt.value)
		if err := in.(*indextype.Index).Engine.Batch(b); err != nil {
			t.Fatal(err)
		}
		y.Close()
		for _, config := range []map[string]any{nil, {"read_only": true}} {
			if y, err := bleve.OpenUsing(path, config); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
				if err == nil {
					y.Close()
				}
			}
		}
	}
}

// What cannot be used is an error that says so, and changes nothing.
func TestWrong(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	pages, _ := twoSites(t, 12, 0, 60)
	write(t, x, pages)
	found := use(t, x, templates.Options{Scope: "site"})
	seeded := newMapping()
	if err := seeded.AddCustomAnalyzer("seeded", map[string]any{"type": neardup.Name, "seed": 7}); err != nil {
		t.Fatal(err)
	}
	for _, f := range seeded.DefaultMapping.Properties["body"].Fields {
		if f.Analyzer == neardup.Name {
			f.Analyzer = "seeded"
		}
	}
	other, err := plugin.New("", seeded)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	plain, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	less := newMapping()
	less.DefaultMapping.Properties["body"].Fields[0].Store = false
	unstored, err := plugin.New("", less)
	if err != nil {
		t.Fatal(err)
	}
	defer unstored.Close()
	write(t, unstored, pages)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	twice := &templates.Templates{ScopeField: "site", Scopes: slices.Concat(found.Scopes, found.Scopes)}
	named := &templates.Templates{Scopes: found.Scopes}
	var none context.Context
	field := &templates.Templates{Field: "nosuch", ScopeField: "site", Scopes: found.Scopes}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{useErr(ctx, x, nil), "wanted templates, got nil"},
		{useErr(ctx, x, &templates.Templates{}), "wanted a scope that has a template, got none"},
		{useErr(ctx, x, twice), `scope "a": wanted one set, got none or several`},
		{useErr(ctx, x, named), `wanted the scope "" alone where no field has scopes`},
		{useErr(ctx, x, field), "wanted a fingerprinted field"},
		{useErr(ctx, other, found), "wanted one learned with the parameters of the signatures"},
		{useErr(ctx, plain, found), `wanted an index of type "neardup"`},
		{useErr(cancelled, x, found), "context canceled"},
		{templates.Drop(none, x, ""), "wanted a context, got nil"},
		{x.SetInternal([]byte("neardup/templates/neardup"), nil), "wanted SetTemplates to write it"},
		{learn(x, templates.Options{Scope: "nosuch"}), `wanted a stored text field that documents have, got "nosuch"`},
		{learn(unstored, templates.Options{}), "wanted documents with the text of their signature"},
		{learn(x, templates.Options{Field: "nosuch"}), "wanted a fingerprinted field"},
		{learn(x, templates.Options{Sample: -1}), "wanted a sample of 1 or more"},
		{learn(plain, templates.Options{}), `wanted an index of type "neardup"`},
		{(&near.SimilarQuery{ID: "a", TextScope: "a"}).Validate(), "text_scope: wanted a text of that scope"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("got %v, want %s", tt.err, tt.want)
		}
	}
	kept, err := templates.InUse(x, "")
	if err != nil || len(kept.Scopes) != 2 {
		t.Errorf("after errors: got %+v, %v", kept, err)
	}
}

func useErr(ctx context.Context, x bleve.Index, t *templates.Templates) error {
	_, err := templates.Use(ctx, x, t)
	return err
}

func learn(x bleve.Index, o templates.Options) error {
	_, err := templates.Learn(ctx, x, o)
	return err
}
