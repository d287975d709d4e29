package indextype_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/token/lowercase" // registers "to_lower"
	_ "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// figures are those of the index type.
func figures(x bleve.Index, names ...string) (all []uint64) {
	m := x.StatsMap()["index"].(map[string]any)
	for _, name := range names {
		n, ok := m["neardup_"+name].(uint64)
		if !ok {
			panic(fmt.Sprintf("no figure %q", name))
		}
		all = append(all, n)
	}
	return all
}

// unicodeMapping fingerprints the title and the body, with bleve's tokenizer that makes no
// token of Thai, and indexes the terms of that or not.
func unicodeMapping(t *testing.T, indexed bool) *mapping.IndexMappingImpl {
	t.Helper()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("words", map[string]any{"type": "neardup", "tokenizer": "unicode", "token_filters": []any{"to_lower"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"title", "body"} {
		f := &mapping.FieldMapping{Name: "sig", Type: "text", Analyzer: "words", Index: indexed}
		m.DefaultMapping.AddFieldMappingsAt(name, bleve.NewTextFieldMapping(), f)
	}
	return m
}

// Text of which the tokenizer makes nothing has no signature, is counted, and counts as
// unsigned in results; text without a letter still has the empty one.
func TestUntokenized(t *testing.T) {
	t.Parallel()
	const thai, burmese = "ภาษาไทยเป็นภาษาที่มีระดับเสียง", "မြန်မာဘာသာစကား"
	for _, indexed := range []bool{true, false} {
		x := open(t, "", unicodeMapping(t, indexed))
		for _, tt := range []struct {
			id   string
			data map[string]any
			has  bool
		}{
			{"english", map[string]any{"body": text}, true},
			{"thai", map[string]any{"body": thai}, false},
			{"thai twice", map[string]any{"body": thai, "title": thai}, false},
			{"burmese", map[string]any{"body": []any{burmese, "..."}}, false},
			{"both", map[string]any{"body": thai, "title": "Thai is a tonal language of Thailand"}, true},
			{"no letters", map[string]any{"body": "... --- !!!"}, true},
			{"nothing", map[string]any{"body": ""}, true},
			{"another", map[string]any{"note": text}, false},
		} {
			before := figures(x, "signed", "untokenized", "unsigned")
			put(t, x, tt.id, tt.data)
			if _, has := signatureOf(t, x, tt.id); has != tt.has {
				t.Errorf("%s: a signature is there: %v", tt.id, has)
			}
			want := map[string][]uint64{"another": {0, 0, 1}, "thai": {0, 1, 1}, "thai twice": {0, 1, 1}, "burmese": {0, 1, 1}}[tt.id]
			if want == nil {
				want = []uint64{1, 0, 0}
			}
			for i, n := range figures(x, "signed", "untokenized", "unsigned") {
				if n-before[i] != want[i] {
					t.Errorf("%s: figure %d went from %d to %d, want %d more", tt.id, i, before[i], n, want[i])
				}
			}
		}
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		res, err := collapse.Search(context.Background(), x, r, collapse.Options{Field: "sig"})
		if err != nil || res.Unsigned != 4 || len(res.Hits) != 8 || len(res.Damaged) != 0 {
			t.Errorf("got %d hits, %d unsigned, %v damaged, error %v; want 8 and 4", len(res.Hits), res.Unsigned, res.Damaged, err)
		}
	}
}

// What is written without a signature is counted once it is written: each document of a batch,
// no deletion, no definition of synonyms, and none of what is refused.
func TestUnsignedCounts(t *testing.T) {
	t.Parallel()
	m := testMapping("body")
	if err := m.AddSynonymSource("own", map[string]any{"collection": "c", "analyzer": "standard"}); err != nil {
		t.Fatal(err)
	}
	x := open(t, "", m)
	b := x.NewBatch()
	for i, data := range []map[string]any{{"body": text}, {"note": text}, {"body": 5}, {}} {
		if err := b.Index(fmt.Sprint(i), data); err != nil {
			t.Fatal(err)
		}
	}
	b.Delete("gone")
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
	if err := x.(bleve.SynonymIndex).IndexSynonym("s", "c", &bleve.SynonymDefinition{Synonyms: []string{"fox", "vixen"}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Index("forged", map[string]any{signature.Field("sig").Sketch(): "x"}); err == nil {
		t.Error("a reserved name is taken")
	}
	if err := x.Delete("1"); err != nil {
		t.Fatal(err)
	}
	if got := figures(x, "signed", "unsigned", "untokenized"); got[0] != 1 || got[1] != 3 || got[2] != 0 {
		t.Errorf("got %d signed, %d unsigned, %d untokenized; want 1, 3, 0", got[0], got[1], got[2])
	}
	// A mapping for a type that never comes: everything is unsigned.
	page := bleve.NewIndexMapping()
	page.AddDocumentMapping("page", m.DefaultMapping)
	y := open(t, "", page)
	for i := range uint64(3) {
		put(t, y, fmt.Sprint(i), map[string]any{"body": text})
		if got := figures(y, "signed", "unsigned"); got[0] != 0 || got[1] != i+1 {
			t.Errorf("got %d signed and %d unsigned, want 0 and %d", got[0], got[1], i+1)
		}
	}
}
