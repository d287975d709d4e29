package backfill_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

func leave(t testing.TB, from, to bleve.Index, o backfill.Options) backfill.Status {
	t.Helper()
	s, err := backfill.Leave(context.Background(), from, to, o)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Complete {
		t.Errorf("got %+v, not complete", s)
	}
	return s
}

// plainOf makes a plain index with what PlainMapping leaves of the mapping of x.
func plainOf(t testing.TB, path string, x bleve.Index) bleve.Index {
	t.Helper()
	m, err := backfill.PlainMapping(x.Mapping())
	if err != nil {
		t.Fatal(err)
	}
	return plain(t, path, m)
}

// internal returns all internal values of an index on scorch.
func internal(t testing.TB, x bleve.Index) map[string]string {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	r, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[string]string{}
	for key, value := range r.(interface{ Internal() map[string][]byte }).Internal() {
		if key != "_mapping" { // compared for itself
			all[key] = string(value)
		}
	}
	return all
}

// pages are the hits of queries, with all fields and locations, as JSON.
func pages(t testing.TB, x bleve.Index, queries []string) (all []string) {
	t.Helper()
	for _, q := range queries {
		r := bleve.NewSearchRequestOptions(bleve.NewQueryStringQuery(q), 1000, 0, false)
		r.SortBy([]string{"-_score", "_id"})
		r.Fields, r.IncludeLocations = []string{"*"}, true
		res, err := x.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		type hit struct {
			ID     string
			Score  float64
			Fields map[string]any
			Where  any
		}
		var hits []hit
		for _, h := range res.Hits {
			hits = append(hits, hit{h.ID, h.Score, h.Fields, h.Locations})
		}
		text, err := json.Marshal(map[string]any{"total": res.Total, "hits": hits})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

var alone = flag.Bool("alone", false, "build a program that imports bleve alone, and have it open what TestLeave leaves")

// An index with everything that this library writes becomes the one that bleve would have
// made of the same documents: terms, stored values, fields, internal values, and the hits of
// queries with their scores. With -alone, a program that imports bleve alone opens it.
func TestLeave(t *testing.T) {
	t.Parallel()
	m, want := allTypes(t), allTypes(t)
	// Fields that only carry fingerprints, by each way of naming them; and one for words.
	if err := errors.Join(m.AddCustomCharFilter("our_html", map[string]any{"type": "neardup_html"}),
		m.AddCustomTokenFilter("our_bands", map[string]any{"type": "neardup_band"})); err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]map[string]any{
		"wide":  {"type": "neardup", "width": 6, "terms": "bands", "char_filters": []any{"our_html"}},
		"terms": {"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []any{"our_bands"}},
	} {
		if err := m.AddCustomAnalyzer(name, config); err != nil {
			t.Fatal(err)
		}
	}
	words := map[string]any{"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []any{"to_lower"}}
	for _, each := range []*mapping.IndexMappingImpl{m, want} {
		if err := each.AddCustomAnalyzer("words", words); err != nil {
			t.Fatal(err)
		}
		title := bleve.NewTextFieldMapping()
		title.Analyzer = "words"
		each.DefaultMapping.AddFieldMappingsAt("title", title)
		each.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping())
		each.DefaultMapping.AddSubDocumentMapping("secret", bleve.NewDocumentMapping()) // not indexed by bleve
	}
	plugin.AddSignature(m.DefaultMapping, "body", "title")
	named := func(analyzer, name string) *mapping.FieldMapping {
		f := plugin.FieldMapping(analyzer)
		f.Name = name
		return f
	}
	m.DefaultMapping.AddFieldMappingsAt("body", named("wide", "wide"), named("terms", "terms"))
	m.DefaultMapping.AddFieldMappingsAt("secret", named("neardup", "hushed"))
	page := m.DefaultMapping.Properties["page"]
	page.DefaultAnalyzer = "neardup" // for a dynamic property
	page.Properties["title"].Fields[0].Analyzer = "standard"
	want.DefaultMapping.Properties["page"].DefaultAnalyzer = "standard"
	want.DefaultMapping.Properties["page"].Properties["title"].Fields[0].Analyzer = "standard"

	rnd := rand.New(rand.NewPCG(7, 8))
	docs := map[string]any{}
	for i := range 40 {
		d := someDocument(rnd)
		d["title"] = fmt.Sprint("Title ", i%5)
		d["secret"] = fmt.Sprint("that nobody searches ", i)
		d["body"] = strings.Repeat(fmt.Sprint("text number ", i%10, " of them, "), 5)
		docs[fmt.Sprint("doc ", i)] = d
	}
	docs["binary \xff\x00"] = map[string]any{"body": "of an id that is no text"}
	dir := t.TempDir()
	from := signed(t, filepath.Join(dir, "from"), m)
	if err := plugin.SetPolicy(context.Background(), from, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	fill(t, from, docs)
	if err := typed(from).MarkText(context.Background(), "offer", admission.Spam, "buy now and never later"); err != nil {
		t.Fatal(err)
	}
	own := map[string]string{"app/position": "17", "neardupe": "not ours", "\x00binary\xff": "\x00\xff"}
	for key, value := range own {
		if err := from.SetInternal([]byte(key), []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if err := from.SetInternal([]byte("neardup/backfill/an older source"), []byte(`{"complete":true}`)); err != nil {
		t.Fatal(err)
	}
	tagged := bleve.NewSearchRequest(bleve.NewQueryStringQuery("near"))
	if r, err := from.Search(tagged); err != nil {
		t.Fatal(err, r)
	}
	has := strings.Join(contents(t, from), "\n")
	for _, ours := range []string{"~neardup.sketch", "~wide.simhash", admission.TagField + ": term", "terms: term"} {
		if !strings.Contains(has, ours) {
			t.Fatalf("the index to leave has no %s: the test shows nothing", ours)
		}
	}

	fresh := plain(t, filepath.Join(dir, "fresh"), want)
	fill(t, fresh, docs)
	left, err := backfill.PlainMapping(from.Mapping())
	if err != nil {
		t.Fatal(err)
	}
	to, err := bleve.New(filepath.Join(dir, "to"), left)
	if err != nil {
		t.Fatal(err)
	}
	if s := leave(t, from, to, backfill.Options{Batch: 30}); s.Done != uint64(len(docs)) || s.Total != s.Done || s.LeftOut != 0 {
		t.Errorf("got %+v", s)
	}
	hold(t, to, fresh)
	if got := internal(t, to); !maps.Equal(got, own) {
		t.Errorf("internal values: got %q, want %q", got, own)
	}
	a, _ := json.Marshal(to.Mapping())
	b, _ := json.Marshal(fresh.Mapping())
	if string(a) != string(b) {
		t.Errorf("mapping: got\n%s\nwant\n%s", a, b)
	}
	got, _ := to.Fields()
	expected, _ := fresh.Fields()
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(expected))) {
		t.Errorf("fields: got %q, want %q", got, expected)
	}
	queries := []string{
		"words", "text number 7", "body:words tags:x", "page.title:words", "+body:number -title:3", "number:>0", `"text number"`, "title:Title",
		`sent:>"2000-01-01T00:00:00Z"`, "page.exact:some*", "body:/te.t/", "txet~2", "near", "flag:T", "them^3 x", "page.deep.a:1",
	}
	expectedPages := pages(t, fresh, queries)
	for i, page := range pages(t, to, queries) {
		if page != expectedPages[i] {
			t.Errorf("%s: got\n%.600s\nwant\n%.600s", queries[i], page, expectedPages[i])
		}
	}

	// Once more writes the same documents again.
	leave(t, from, to, backfill.Options{})
	if n, err := to.DocCount(); err != nil || n != uint64(len(docs)) {
		t.Errorf("%d documents after another Leave, %v", n, err)
	}
	if got := internal(t, to); !maps.Equal(got, own) {
		t.Errorf("internal values after another Leave: got %q, want %q", got, own)
	}

	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	meta, err := os.ReadFile(filepath.Join(dir, "to", "index_meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(meta), `"index_type":"scorch"`) || strings.Contains(string(meta), "neardup") {
		t.Errorf("index_meta.json: %s", meta)
	}
	if !*alone {
		return
	}
	stranger := filepath.Join(dir, "plainbleve")
	if out, err := exec.Command("go", "test", "-c", "-o", stranger, "./testdata/plainbleve").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	open := exec.Command(stranger, filepath.Join(dir, "to"))
	open.Stdin = strings.NewReader(strings.Join(queries, "\n"))
	var stderr strings.Builder
	open.Stderr = &stderr
	out, err := open.Output()
	if err != nil {
		t.Fatalf("bleve alone: %v: %s", err, stderr.String())
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if line != expectedPages[i] {
			t.Errorf("bleve alone: %s: got\n%.600s\nwant\n%.600s", queries[i], line, expectedPages[i])
		}
	}
}

// A leave is stopped again and again, and goes on; with a source of the caller's, which does
// without what is not stored.
func TestLeaveStopped(t *testing.T) {
	t.Parallel()
	m := bodyMapping()
	m.StoreDynamic = false
	m.DefaultMapping.Properties["body"].Fields[0].Store = false
	docs := manuals(t, 30)
	from := signed(t, "", m)
	fill(t, from, docs)
	want := bleve.NewIndexMapping()
	want.StoreDynamic = false
	body := bleve.NewTextFieldMapping()
	body.Store = false
	want.DefaultMapping.AddFieldMappingsAt("body", body)
	gone := slices.Sorted(maps.Keys(docs))[4]
	to := plainOf(t, "", from)
	if _, err := backfill.Leave(context.Background(), from, to, backfill.Options{}); err == nil || !strings.Contains(err.Error(), `["body" "title"]`) {
		t.Errorf("nothing stored: got %v", err)
	}
	stops := 0
	for complete := false; !complete; stops++ {
		ctx, cancel := context.WithCancel(context.Background())
		left := 8
		s, err := backfill.Leave(ctx, from, to, backfill.Options{Batch: 3, Source: func(_ context.Context, id string) (any, error) {
			if left--; left == 0 {
				cancel()
			}
			if id == gone {
				return nil, nil
			}
			return docs[id], nil
		}})
		cancel()
		if complete = s.Complete; !complete && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if complete && (s.Done != 30 || s.LeftOut != 1) {
			t.Errorf("got %+v", s)
		}
	}
	if stops < 3 {
		t.Errorf("done after %d stops", stops)
	}
	fresh := plain(t, "", want)
	delete(docs, gone)
	fill(t, fresh, docs)
	hold(t, to, fresh)
	if got := internal(t, to); len(got) > 0 {
		t.Errorf("internal values: %q", got)
	}
}

// What a mapping says in all places where it can name something of this library's.
func TestPlainMapping(t *testing.T) {
	t.Parallel()
	stored := plugin.FieldMapping("neardup")
	stored.Store, stored.IncludeInAll, stored.DocValues, stored.IncludeTermVectors = true, true, true, true
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = "neardup"
	m.DefaultMapping.AddFieldMappingsAt("kept", stored)
	m.DefaultMapping.AddFieldMappingsAt("inherits", &mapping.FieldMapping{Type: "text", Index: true})
	m.DefaultMapping.AddFieldMappingsAt("exact", bleve.NewKeywordFieldMapping())
	mail := bleve.NewDocumentMapping()
	mail.DefaultAnalyzer = keyword.Name
	mail.AddFieldMappingsAt("inherits", &mapping.FieldMapping{Type: "text", Index: true})
	m.AddDocumentMapping("mail", mail)

	want := bleve.NewIndexMapping()
	want.DefaultMapping.AddFieldMappingsAt("kept", &mapping.FieldMapping{Name: "neardup", Type: "text", Store: true})
	want.DefaultMapping.AddSubDocumentMapping("inherits", bleve.NewDocumentMapping())
	want.DefaultMapping.AddFieldMappingsAt("exact", bleve.NewKeywordFieldMapping())
	want.AddDocumentMapping("mail", mail)

	before, _ := json.Marshal(m)
	got, err := backfill.PlainMapping(m)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
	if after, _ := json.Marshal(m); string(after) != string(before) {
		t.Errorf("the mapping that was given is now %s", after)
	}

	// Words that only this library's char filters make.
	for _, filter := range []string{"neardup_html", "own"} {
		m = bleve.NewIndexMapping()
		if err := errors.Join(m.AddCustomCharFilter("own", map[string]any{"type": "neardup_skeleton"}),
			m.AddCustomAnalyzer("folded", map[string]any{"type": custom.Name, "char_filters": []string{filter}, "tokenizer": unicode.Name})); err != nil {
			t.Fatal(err)
		}
		f := bleve.NewTextFieldMapping()
		f.Analyzer = "folded"
		page := bleve.NewDocumentMapping()
		page.AddFieldMappingsAt("title", f)
		m.DefaultMapping.AddSubDocumentMapping("page", page)
		if _, err := backfill.PlainMapping(m); err == nil || !strings.Contains(err.Error(), `got default_mapping.page.title with "folded": give these fields another analyzer first`) {
			t.Errorf("%s: got %v", filter, err)
		}
		f.Analyzer = ""
		got, err := backfill.PlainMapping(m)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(got); strings.Contains(string(text), "neardup") || strings.Contains(string(text), "folded") {
			t.Errorf("got %s", text)
		}
	}
}

func TestLeaveErrors(t *testing.T) {
	t.Parallel()
	from, to := signed(t, "", bodyMapping()), plain(t, "", bleve.NewIndexMapping())
	ctx := context.Background()
	for want, err := range map[string]error{
		`source: wanted an index of type "neardup", got a *scorch.Scorch`:                                   second(backfill.Leave(ctx, to, to, backfill.Options{})),
		`target: wanted an index of another type than "neardup"`:                                            second(backfill.Leave(ctx, from, signed(t, "", bodyMapping()), backfill.Options{})),
		"batch: wanted a number above 0, or 0, got -1":                                                      second(backfill.Leave(ctx, from, to, backfill.Options{Batch: -1})),
		"wanted a mapping that names nothing of this library's (PlainMapping makes one), got one that does": second(backfill.Leave(ctx, from, plain(t, "", bodyMapping()), backfill.Options{})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, got %v", want, err)
		}
	}
}
