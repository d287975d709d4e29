package neardup_test

import (
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
)

// fingerprint adds a fingerprinted field named f to a property of dm.
func fingerprint(dm *mapping.DocumentMapping, analyzer string) {
	body := bleve.NewDocumentMapping()
	body.AddFieldMapping(&mapping.FieldMapping{Name: "f", Type: "text", Analyzer: analyzer, Index: true})
	dm.AddSubDocumentMapping("body", body)
}

// Of finds a field by its name, first in the default mapping, and no other field.
func TestOf(t *testing.T) {
	t.Parallel()
	for range 20 { // maps have no order
		m := bleve.NewIndexMapping()
		for name, config := range map[string]map[string]any{
			"page":  {"type": "neardup", "char_filters": []any{"neardup_html"}},
			"plain": {"type": "neardup"},
			"wide":  {"type": "neardup", "width": 6},
		} {
			if err := m.AddCustomAnalyzer(name, config); err != nil {
				t.Fatal(err)
			}
		}
		page, section := bleve.NewDocumentMapping(), bleve.NewDocumentMapping()
		fingerprint(page, "page")
		m.AddDocumentMapping("page", page)
		fingerprint(m.DefaultMapping, "plain")
		fingerprint(section, "wide")
		m.DefaultMapping.AddSubDocumentMapping("section", section)
		const text = "<p>one two three four five</p>"
		sig, err := neardup.Sign(m, "f", nil, text)
		if err != nil || sig.Tokens != 7 {
			t.Fatalf("got %+v, %v, want a signature of 7 tokens, tags included", sig, err)
		}
		if a, err := neardup.Of(m, "section.f"); err != nil || a.Params().Width != 6 {
			t.Fatalf("section.f: got %v, %v", a, err)
		}
		if _, err := neardup.Of(m, "g"); err == nil || !strings.Contains(err.Error(), `one of ["f" "section.f"], got "g"`) {
			t.Fatalf("g: got %v", err)
		}
		wide := bleve.NewDocumentMapping()
		fingerprint(wide, "wide")
		m.AddDocumentMapping("wide", wide)
		if _, err := neardup.Of(m, "f"); err == nil || !strings.Contains(err.Error(), "must not sign it in different ways") {
			t.Fatalf("f of two widths: got %v", err)
		}
	}
}
