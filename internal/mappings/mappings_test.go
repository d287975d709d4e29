package mappings_test

import (
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/mappings"
)

func TestVisit(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = "standard"
	own := bleve.NewTextFieldMapping()
	own.Analyzer, own.Name = "keyword", "renamed"
	author := bleve.NewDocumentMapping()
	author.AddFieldMappingsAt("name", bleve.NewTextFieldMapping(), own, bleve.NewNumericFieldMapping())
	off, inner := bleve.NewDocumentDisabledMapping(), bleve.NewDocumentDisabledMapping()
	off.AddFieldMappingsAt("text", bleve.NewTextFieldMapping())
	inner.AddFieldMappingsAt("deep", bleve.NewTextFieldMapping())
	off.AddSubDocumentMapping("inner", inner)
	author.AddSubDocumentMapping("off", off)
	static := bleve.NewDocumentStaticMapping()
	static.DefaultAnalyzer = "en"
	static.AddFieldMappingsAt("b", bleve.NewTextFieldMapping())
	m.DefaultMapping.AddSubDocumentMapping("author", author)
	m.AddDocumentMapping("a type", static)

	var got, disabled []string
	mappings.Visit(m, func(f mappings.Field) {
		switch {
		case !f.IsText():
		case f.Off:
			disabled = append(disabled, f.Name+" "+f.Analyzer+" "+f.Below)
		default:
			got = append(got, f.Name+" "+f.Analyzer)
		}
	})
	if got, want := strings.Join(got, ", "), " standard,  standard,  standard, author.name standard, author.renamed keyword,  en, b en"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := strings.Join(disabled, ", "), " standard author.off, author.off.text standard author.off"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
