package stored_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// The three forms are read alike: no value is ErrNone, one is the signature, and several, or one
// that cannot be read, are an error.
func TestForms(t *testing.T) {
	t.Parallel()
	want := signature.Of(signature.DefaultParams(), []byte("some words and a few more of them"))
	data, err := want.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for name, tt := range map[string]struct {
		values []string
		field  any
		want   error
	}{
		"none":       {nil, nil, stored.ErrNone},
		"one":        {[]string{text}, text, nil},
		"several":    {[]string{text, text}, []any{text, text}, signature.ErrMalformed},
		"unreadable": {[]string{"?"}, "?", signature.ErrMalformed},
		"number":     {[]string{"7"}, 7.0, signature.ErrMalformed},
	} {
		var v stored.Value
		doc := document.NewDocument("a")
		doc.AddField(document.NewTextField("other", nil, data))
		for _, value := range tt.values {
			v.Add([]byte(value))
			doc.AddField(document.NewTextField("f", nil, []byte(value)))
		}
		for form, read := range map[string]func() (*signature.Signature, error){
			"value": func() (*signature.Signature, error) { return v.Signature() },
			"hit": func() (*signature.Signature, error) {
				return stored.OfHit(&search.DocumentMatch{Fields: map[string]any{"f": tt.field}}, "f")
			},
			"document": func() (*signature.Signature, error) { return stored.OfDocument(doc, "f") },
		} {
			got, err := read()
			if !errors.Is(err, tt.want) {
				t.Errorf("%s as a %s: got error %v", name, form, err)
			}
			if wanted := tt.want == nil; (got != nil) != wanted || wanted && !slices.Equal(got.Sketch, want.Sketch) {
				t.Errorf("%s as a %s: got %v", name, form, got)
			}
		}
	}
}

// A hit keeps the fields that were asked for. "*" asks for all but what is reserved, which has to be named.
func TestStrip(t *testing.T) {
	t.Parallel()
	sketch := signature.Field("f").Sketch()
	for _, tt := range []struct{ named, added, want []string }{
		{nil, []string{"body"}, nil},
		{[]string{"title"}, []string{"body"}, []string{"title"}},
		{[]string{"title", sketch}, []string{"title", "body"}, []string{"title", sketch}},
		{[]string{"*"}, []string{"body"}, []string{"body", "title"}},
		{[]string{"*", sketch}, nil, []string{"body", "title", sketch}},
	} {
		hit := &search.DocumentMatch{Fields: map[string]any{"title": 1, "body": 2, sketch: 3}}
		if len(tt.named) == 0 {
			delete(hit.Fields, "title")
		}
		if slices.Contains(tt.named, "*") && slices.Contains(tt.named, sketch) { // which bleve loads twice
			hit.Fields[sketch] = []any{3, 3}
		}
		stored.Strip(hit, tt.named, tt.added...)
		if got := hit.Fields[sketch]; got != nil && got != 3 {
			t.Errorf("named %q: got %v", tt.named, got)
		}
		if got := slices.Sorted(maps.Keys(hit.Fields)); !slices.Equal(got, tt.want) || (hit.Fields == nil) != (tt.want == nil) {
			t.Errorf("named %q: got %q, want %q", tt.named, got, tt.want)
		}
	}
}
