package indextype_test

import (
	"context"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Of several values the first carries the terms of all: each shingle is there once.
func TestTermsOnce(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("shingles", map[string]any{"type": "neardup", "terms": "all"}); err != nil {
		t.Fatal(err)
	}
	f := fieldMapping()
	f.Analyzer = "shingles"
	m.DefaultMapping.AddFieldMappingsAt("body", f)
	x := open(t, "", m)
	put(t, x, "one", map[string]any{"body": text})
	put(t, x, "several", map[string]any{"body": []any{text, "five other words stand here", text}})
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := inner.(*indextype.Index).Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	dict, err := reader.FieldDict("sig")
	if err != nil {
		t.Fatal(err)
	}
	defer dict.Close()
	terms := 0
	for {
		e, err := dict.Next()
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			break
		}
		terms++
		tfr, err := reader.TermFieldReader(context.Background(), []byte(e.Term), "sig", true, false, false)
		if err != nil {
			t.Fatal(err)
		}
		for {
			d, err := tfr.Next(nil)
			if err != nil {
				t.Fatal(err)
			}
			if d == nil {
				break
			}
			if d.Freq != 1 {
				t.Errorf("term %q occurs %d times in a document", e.Term, d.Freq)
			}
		}
		tfr.Close()
	}
	if one, _ := signatureOf(t, x, "several"); terms != int(one.Shingles) {
		t.Errorf("got %d terms, want one for each of %d shingles", terms, one.Shingles)
	}
}
