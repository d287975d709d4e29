package indextype_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

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

func Example() {
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("body",
		bleve.NewTextFieldMapping(),
		&mapping.FieldMapping{Name: "neardup", Type: "text", Analyzer: neardup.Name, Index: true})
	index, err := bleve.NewUsing("", m, indextype.Name, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer index.Close()
	if err := index.Index("a", map[string]any{"body": "a rose is a rose is a rose"}); err != nil {
		fmt.Println(err)
		return
	}
	request := bleve.NewSearchRequest(bleve.NewMatchQuery("rose"))
	request.Fields = []string{signature.Field("neardup").Simhash()}
	result, err := index.Search(request)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(result.Hits[0].Fields["~neardup.simhash"].(string)), "digits")
	// Output: 16 digits
}
