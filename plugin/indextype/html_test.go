package indextype_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
)

// An index of pages and of plain texts: the same text has the same stored
// signature, and a page without text has that of an empty text.
func TestPages(t *testing.T) {
	t.Parallel()
	m := testMapping("body")
	if err := m.AddCustomAnalyzer("pages", map[string]any{"type": neardup.Name, "char_filters": []any{"neardup_html"}}); err != nil {
		t.Fatal(err)
	}
	pages := bleve.NewDocumentMapping()
	field := fieldMapping()
	field.Analyzer = "pages"
	pages.AddFieldMappingsAt("body", field)
	m.AddDocumentMapping("page", pages)
	x := open(t, "", m)

	texts := map[string]string{
		"inline":     strings.ReplaceAll(text, "o", "<b>o</b>"),
		"blocks":     "<!DOCTYPE html><body><p>" + strings.ReplaceAll(text, " ", "<br>") + "<script>not text</script>",
		"case":       "<DIV>" + strings.ToUpper(text) + "</DIV>",
		"references": strings.ReplaceAll(text, "e", "&#101;"),
		"as it is":   text,
	}
	for id, page := range texts {
		put(t, x, id, map[string]any{"_type": "page", "body": page})
	}
	put(t, x, "plain", map[string]any{"body": text})
	put(t, x, "only markup", map[string]any{"_type": "page", "body": "<p><img alt='x'><!-- y --></p>"})
	put(t, x, "empty", map[string]any{"body": " "})

	want, _ := signatureOf(t, x, "plain")
	for id := range texts {
		if got, ok := signatureOf(t, x, id); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got signature %v, want %v", id, got, want)
		}
	}
	got, has := signatureOf(t, x, "only markup")
	empty, stored := signatureOf(t, x, "empty")
	if has != stored || got.Tokens != 0 || !reflect.DeepEqual(got, empty) {
		t.Errorf("only markup: got %v (%v), want that of an empty text, %v (%v)", got, has, empty, stored)
	}
}
