package textfields_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/internal/textfields"
)

func TestFields(t *testing.T) {
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

	var got []string
	textfields.Each(m, func(field, analyzer string) { got = append(got, field+" "+analyzer) })
	if got, want := strings.Join(got, ", "), " standard,  standard,  standard, author.name standard, author.renamed keyword,  en, b en"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = nil
	textfields.Disabled(m, func(field, analyzer, below string) { got = append(got, fmt.Sprint(field, " ", analyzer, " ", below)) })
	if got, want := strings.Join(got, ", "), " standard author.off, author.off.text standard author.off"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
