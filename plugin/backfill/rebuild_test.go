package backfill_test

import (
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// A document whose stored values the mapping would not give again is an error, unless that is
// allowed. The documents are written past the mapping, as by a program that had another one.
func TestOtherMapping(t *testing.T) {
	t.Parallel()
	for want, values := range map[string][]string{ // stored values of title
		"": {"one"},
		`wanted to rebuild the stored value title [] t "one", got none such`: {"one", "one"},
		"wanted to rebuild what is stored, got zcopy [] t":                   nil,
	} {
		m := bodyMapping()
		named := bleve.NewTextFieldMapping()
		named.Name = "zcopy"
		if values == nil { // of which the document has only one
			m.DefaultMapping.AddFieldMappingsAt("title", bleve.NewTextFieldMapping(), named)
			values = []string{"one"}
		}
		from := plain(t, "", m)
		inner, err := from.Advanced()
		if err != nil {
			t.Fatal(err)
		}
		d := document.NewDocument("a")
		for _, v := range values {
			d.AddField(document.NewTextFieldWithIndexingOptions("title", nil, []byte(v), index.IndexField|index.StoreField))
		}
		if err := inner.Update(d); err != nil {
			t.Fatal(err)
		}
		_, err = backfill.Run(t.Context(), from, signed(t, "", m), backfill.Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("stored %q: got %v, want %q", values, err, want)
		}
		if s := run(t, from, signed(t, "", m), backfill.Options{Lossy: true}); s.Done != 1 {
			t.Errorf("stored %q, lossy: got %+v", values, s)
		}
	}
}

// Fields of and below a property that is not enabled are not there, whatever their names; and a mapping
// that stores nothing by itself has all that it names.
func TestDisabledProperty(t *testing.T) {
	t.Parallel()
	m := bodyMapping()
	m.StoreDynamic = false
	m.DefaultMapping.AddFieldMappingsAt("title", bleve.NewTextFieldMapping())
	old := bleve.NewDocumentDisabledMapping()
	old.AddFieldMappingsAt("a", bleve.NewTextFieldMapping())
	named := bleve.NewTextFieldMapping()
	named.Name = "title"
	old.AddFieldMapping(named)
	m.DefaultMapping.AddSubDocumentMapping("old", old)
	from, to := plain(t, "", m), signed(t, "", m)
	docs := map[string]any{"x": map[string]any{"title": "one", "body": "two", "old": map[string]any{"a": "three"}}}
	fill(t, from, docs)
	if s := run(t, from, to, backfill.Options{}); s.Done != 1 {
		t.Errorf("got %+v", s)
	}
	want := signed(t, "", m)
	fill(t, want, docs)
	hold(t, to, want)
}
