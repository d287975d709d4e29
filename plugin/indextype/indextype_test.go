package indextype_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

const text = "The quick brown fox jumps over the lazy dog, and the cat looks on from the garden wall in the evening sun."

// fieldMapping is a fingerprinted field as a mapping in JSON would have it.
func fieldMapping() *mapping.FieldMapping {
	return &mapping.FieldMapping{Name: "sig", Type: "text", Analyzer: neardup.Name, Index: true}
}

func testMapping(fields ...string) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	for _, f := range fields {
		m.DefaultMapping.AddFieldMappingsAt(f, bleve.NewTextFieldMapping(), fieldMapping())
	}
	return m
}

func open(t testing.TB, path string, m mapping.IndexMapping) bleve.Index {
	t.Helper()
	x, err := bleve.NewUsing(path, m, indextype.Name, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	if path == "" { // bleve panics when an index is closed twice
		t.Cleanup(func() { x.Close() })
	}
	return x
}

func put(t testing.TB, x bleve.Index, id string, data any) {
	t.Helper()
	if err := x.Index(id, data); err != nil {
		t.Fatal(err)
	}
}

// signatureOf returns the signature stored with a document, and whether there is
// one.
func signatureOf(t testing.TB, x bleve.Index, id string) (sig signature.Signature, ok bool) {
	t.Helper()
	r := bleve.NewSearchRequest(bleve.NewDocIDQuery([]string{id}))
	r.Fields = []string{"*"}
	res, err := x.Search(r)
	if err != nil || len(res.Hits) != 1 {
		t.Fatalf("document %s: %v, %v", id, res, err)
	}
	fields := res.Hits[0].Fields
	sketch, ok := fields[signature.SketchField("sig")].(string)
	simhash, has := fields[signature.SimhashField("sig")].(string)
	if ok != has {
		t.Fatalf("document %s has one stored field of two: %v", id, fields)
	}
	if !ok {
		return sig, false
	}
	if err := sig.UnmarshalText([]byte(sketch)); err != nil {
		t.Fatalf("document %s: %v", id, err)
	}
	if simhash != fmt.Sprintf("%016x", sig.Simhash) {
		t.Errorf("document %s: simhash %s, the signature has %x", id, simhash, sig.Simhash)
	}
	return sig, true
}

func of(values ...string) signature.Signature {
	var all [][]byte
	for _, v := range values {
		all = append(all, []byte(v))
	}
	return signature.Of(signature.DefaultParams(), all...)
}

func equal(a, b signature.Signature) bool {
	return a.Params == b.Params && a.Exact == b.Exact && a.Simhash == b.Simhash && a.Tokens == b.Tokens &&
		a.Shingles == b.Shingles && a.Lanes == b.Lanes && slices.Equal(a.Sketch, b.Sketch)
}

// Every kind of value has a defined signature.
func TestValues(t *testing.T) {
	t.Parallel()
	x := open(t, "", testMapping("title", "body"))
	type doc = map[string]any
	for id, tt := range map[string]struct {
		data any
		want *signature.Signature // nil: none is stored
	}{
		"one":         {doc{"body": text}, ptr(of(text))},
		"two fields":  {doc{"title": "a title", "body": text}, ptr(of("a title", text))},
		"other order": {doc{"title": text, "body": "a title"}, ptr(of("a title", text))},
		"array":       {doc{"body": []any{"first " + text, "second " + text}}, ptr(of("second "+text, "first "+text))},
		"empty":       {doc{"body": ""}, ptr(of(""))},
		"short":       {doc{"body": "two words"}, ptr(of("two words"))},
		"no letters":  {doc{"body": "... --- !!!"}, ptr(of())},
		"not utf-8":   {doc{"body": text + "\xff\xfe"}, ptr(of(text))},
		"number":      {doc{"body": 17}, nil},
		"bool":        {doc{"body": true}, nil},
		"null":        {doc{"body": nil}, nil},
		"object":      {doc{"body": doc{"inner": text}}, nil},
		"mixed array": {doc{"body": []any{1, text, nil}}, ptr(of(text))},
		"other field": {doc{"note": text}, nil},
		"nothing":     {doc{}, nil},
		"struct": {struct {
			Body string `json:"body"`
		}{text}, ptr(of(text))},
	} {
		put(t, x, id, tt.data)
		got, ok := signatureOf(t, x, id)
		switch {
		case tt.want == nil && ok:
			t.Errorf("%s: got a signature, want none", id)
		case tt.want != nil && !ok:
			t.Errorf("%s: got no signature", id)
		case ok && !equal(got, *tt.want):
			t.Errorf("%s: got %v, want %v", id, got, *tt.want)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestNestedDocuments(t *testing.T) {
	t.Parallel()
	m := testMapping("body")
	comments := mapping.NewNestedDocumentMapping()
	comments.AddFieldMappingsAt("text", bleve.NewTextFieldMapping(), fieldMapping())
	m.DefaultMapping.AddSubDocumentMapping("comments", comments)
	x := open(t, "", m)
	put(t, x, "d", map[string]any{
		"body":     text,
		"comments": []any{map[string]any{"text": "first " + text}, map[string]any{"text": "second " + text}},
	})
	if got, ok := signatureOf(t, x, "d"); !ok || !equal(got, of(text)) {
		t.Errorf("got %v, want that of the body", got)
	}
	// The field of the comments is comments.sig: one signature, of both.
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.Fields = []string{"*"}
	res, err := x.Search(r)
	if err != nil || len(res.Hits) != 1 {
		t.Fatal(res, err)
	}
	var got signature.Signature
	value, _ := res.Hits[0].Fields[signature.SketchField("comments.sig")].(string)
	if err := got.UnmarshalText([]byte(value)); err != nil {
		t.Fatal(err)
	}
	if want := of("first "+text, "second "+text); !equal(got, want) {
		t.Errorf("comments: got %v, want %v", got, want)
	}
}

// A batch may be sent twice, leaves the caller's documents alone, and updates and
// deletes as scorch does.
func TestBatch(t *testing.T) {
	t.Parallel()
	x := open(t, "", testMapping("body"))
	b := x.NewBatch()
	for i := range 20 {
		if err := b.Index(fmt.Sprint(i), map[string]any{"body": fmt.Sprint(text, i)}); err != nil {
			t.Fatal(err)
		}
	}
	b.SetInternal([]byte("k"), []byte("v"))
	persisted := make(chan error, 2)
	b.SetPersistedCallback(func(err error) { persisted <- err })
	for range 2 {
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	b.Reset()
	if err := b.Index("3", map[string]any{"body": "changed " + text}); err != nil {
		t.Fatal(err)
	}
	b.Delete("4")
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
	if n, err := x.DocCount(); n != 19 || err != nil {
		t.Errorf("got %d documents, %v; want 19", n, err)
	}
	if v, err := x.GetInternal([]byte("k")); string(v) != "v" || err != nil {
		t.Errorf("internal value: got %q, %v", v, err)
	}
	if got, _ := signatureOf(t, x, "3"); !equal(got, of("changed "+text)) {
		t.Error("the changed document has its old signature")
	}
	if got, _ := signatureOf(t, x, "7"); !equal(got, of(fmt.Sprint(text, 7))) {
		t.Error("a document sent twice has a wrong signature")
	}
}

func TestForgedSignature(t *testing.T) {
	t.Parallel()
	x := open(t, "", testMapping("body"))
	put(t, x, "honest", map[string]any{"body": text})
	for _, name := range []string{signature.SketchField("sig"), signature.SimhashField("sig"), signature.SketchField("other")} {
		err := x.Index("forged", map[string]any{"body": "spam", name: "AAAA"})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(`document "forged": field %q`, name)) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	nested := map[string]any{"~sig": map[string]any{"sketch": "AAAA"}}
	if err := x.Index("forged", nested); err == nil {
		t.Error("a path that joins to a reserved name is taken")
	}
	if n, _ := x.DocCount(); n != 1 {
		t.Errorf("got %d documents, want 1", n)
	}
}

func TestForeignDocumentType(t *testing.T) {
	t.Parallel()
	x := open(t, "", testMapping("body"))
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	type other struct{ index.Document }
	doc := document.NewDocument("d")
	if err := x.Mapping().MapDocument(doc, map[string]any{"body": text}); err != nil {
		t.Fatal(err)
	}
	if err := inner.Update(other{doc}); err == nil || !strings.Contains(err.Error(), "wanted a *document.Document, got a indextype_test.other") {
		t.Errorf("got %v", err)
	}
}

// The index comes back with bleve.Open, and so does the analyzer's configuration.
func TestReopen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.bleve")
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("wide", map[string]any{"type": neardup.Name, "width": 6, "seed": "0xffffffffffffffff"}); err != nil {
		t.Fatal(err)
	}
	f := fieldMapping()
	f.Analyzer = "wide"
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), f)
	x := open(t, path, m)
	put(t, x, "before", map[string]any{"body": text})
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x, err := bleve.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, x, "after", map[string]any{"body": text})
	before, _ := signatureOf(t, x, "before")
	after, ok := signatureOf(t, x, "after")
	if !ok || !equal(before, after) {
		t.Errorf("got %v before, %v after", before, after)
	}
	p := signature.DefaultParams()
	p.Width, p.Seed = 6, 1<<64-1
	if before.Params != p.ID() {
		t.Error("the signature was made with other parameters than the mapping's")
	}
	stats := x.StatsMap()["index"].(map[string]any)
	if stats["neardup_signed"] != uint64(1) {
		t.Errorf("stats: got %v signed since the index was opened, want 1", stats["neardup_signed"])
	}
	// An index of a type that nobody registered is bleve's error, not a plain index.
	meta := filepath.Join(path, "index_meta.json")
	data, err := os.ReadFile(meta)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(meta, []byte(strings.Replace(string(data), `"neardup"`, `"neardux"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bleve.Open(path); !errors.Is(err, bleve.ErrorUnknownIndexType) {
		t.Errorf("got %v, want bleve's unknown index type", err)
	}
}

// Signature terms stay out of _all and change no score, also where the mapping
// forgot to say so.
func TestScores(t *testing.T) {
	t.Parallel()
	plain := bleve.NewIndexMapping()
	signed := testMapping("body")
	if err := signed.AddCustomAnalyzer("loud", map[string]any{"type": neardup.Name, "terms": "all"}); err != nil {
		t.Fatal(err)
	}
	for _, f := range signed.DefaultMapping.Properties["body"].Fields {
		if f.Name == "sig" {
			f.Analyzer, f.IncludeInAll, f.IncludeTermVectors = "loud", true, true
		}
	}
	a, err := bleve.NewUsing("", plain, "scorch", bleve.Config.DefaultKVStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b := open(t, "", signed)
	for i := range 30 {
		doc := map[string]any{"body": strings.Repeat(text+" ", i%4+1) + fmt.Sprint("number ", i%7), "title": fmt.Sprint("cat ", i)}
		put(t, a, fmt.Sprint(i), doc)
		put(t, b, fmt.Sprint(i), doc)
	}
	for _, q := range []string{"cat", "body:cat", "quick number", "title:cat wall", "+dog -7"} {
		r := bleve.NewSearchRequest(bleve.NewQueryStringQuery(q))
		r.Size = 100
		r.SortBy([]string{"-_score", "_id"})
		want, err := a.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		if rank(got.Hits) != rank(want.Hits) || got.Total != want.Total {
			t.Errorf("%s: got %s\nwant %s", q, rank(got.Hits), rank(want.Hits))
		}
	}
	dict, err := b.FieldDict("_all")
	if err != nil {
		t.Fatal(err)
	}
	defer dict.Close()
	for e, err := dict.Next(); e != nil; e, err = dict.Next() {
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Term) == 16 {
			t.Errorf("_all has the term %q", e.Term)
		}
	}
	terms, err := b.FieldDict("sig")
	if err != nil {
		t.Fatal(err)
	}
	defer terms.Close()
	if e, err := terms.Next(); e == nil || err != nil {
		t.Errorf("the field itself has no terms: %v", err)
	}
}

func rank(hits search.DocumentMatchCollection) string {
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "%s=%.12f ", h.ID, h.Score)
	}
	return b.String()
}
