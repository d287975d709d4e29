package indextype_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
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
	sketch, ok := fields[signature.Field("sig").Sketch()].(string)
	simhash, has := fields[signature.Field("sig").Simhash()].(string)
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
		"one":         {doc{"body": text}, new(of(text))},
		"two fields":  {doc{"title": "a title", "body": text}, new(of("a title", text))},
		"other order": {doc{"title": text, "body": "a title"}, new(of("a title", text))},
		"array":       {doc{"body": []any{"first " + text, "second " + text}}, new(of("second "+text, "first "+text))},
		"empty":       {doc{"body": ""}, new(of(""))},
		"short":       {doc{"body": "two words"}, new(of("two words"))},
		"no letters":  {doc{"body": "... --- !!!"}, new(of())},
		"not utf-8":   {doc{"body": text + "\xff\xfe"}, new(of(text))},
		"number":      {doc{"body": 17}, nil},
		"bool":        {doc{"body": true}, nil},
		"null":        {doc{"body": nil}, nil},
		"object":      {doc{"body": doc{"inner": text}}, nil},
		"mixed array": {doc{"body": []any{1, text, nil}}, new(of(text))},
		"other field": {doc{"note": text}, nil},
		"nothing":     {doc{}, nil},
		"struct": {struct {
			Body string `json:"body"`
		}{text}, new(of(text))},
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
	value, _ := res.Hits[0].Fields[signature.Field("comments.sig").Sketch()].(string)
	if err := got.UnmarshalText([]byte(value)); err != nil {
		t.Fatal(err)
	}
	if want := of("first "+text, "second "+text); !equal(got, want) {
		t.Errorf("comments: got %v, want %v", got, want)
	}
}

func TestForgedSignature(t *testing.T) {
	t.Parallel()
	x := open(t, "", testMapping("body"))
	put(t, x, "honest", map[string]any{"body": text})
	for _, name := range []string{signature.Field("sig").Sketch(), signature.Field("sig").Simhash(), signature.Field("other").Sketch()} {
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

// Each field of a segment costs time as it is built, an empty one too. So a fingerprinted field whose values
// are not stored and have no terms is not in the segment, and is as soon as it has something to say.
func TestFieldsOfSegment(t *testing.T) {
	stored, terms := fieldMapping(), fieldMapping()
	stored.Store = true
	terms.Analyzer = "bands"
	for name, f := range map[string]*mapping.FieldMapping{"bare": fieldMapping(), "stored": stored, "terms": terms} {
		m := bleve.NewIndexMapping()
		if err := m.AddCustomAnalyzer("bands", map[string]any{"type": neardup.Name, "terms": "bands"}); err != nil {
			t.Fatal(err)
		}
		m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), f)
		x := open(t, "", m)
		put(t, x, "a", map[string]any{"body": text})
		fields, err := x.Fields()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(fields, signature.Field("sig").Sketch()) || slices.Contains(fields, "sig") != (name != "bare") {
			t.Errorf("%s: got the fields %q", name, fields)
		}
		if _, ok := signatureOf(t, x, "a"); !ok {
			t.Errorf("%s: no signature", name)
		}
	}
}
