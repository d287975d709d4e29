package signature_test

import (
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// The names are on disk: they must never change.
func TestFieldNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, sketch, simhash string }{
		{signature.DefaultField, "~neardup.sketch", "~neardup.simhash"},
		{"body", "~body.sketch", "~body.simhash"},
		{"page.body", "~page.body.sketch", "~page.body.simhash"},
		{"~", "~~.sketch", "~~.simhash"},
		{"", "~.sketch", "~.simhash"},
	} {
		if sketch, simhash := signature.Field(tt.field).Sketch(), signature.Field(tt.field).Simhash(); sketch != tt.sketch || simhash != tt.simhash {
			t.Errorf("%q: got %q and %q, want %q and %q", tt.field, sketch, simhash, tt.sketch, tt.simhash)
		}
	}
}

// The names of stored signatures are reserved, whatever the field is called. Other names
// that documents are likely to have are not.
func TestReserved(t *testing.T) {
	t.Parallel()
	for _, field := range []string{signature.DefaultField, "body", "page.body", "~", "", "日本"} {
		for _, name := range []string{signature.Field(field).Sketch(), signature.Field(field).Simhash()} {
			if !signature.Reserved(name) {
				t.Errorf("%q is not reserved", name)
			}
		}
		if signature.Reserved(field) {
			t.Errorf("%q is reserved", field)
		}
	}
	for _, name := range []string{"body.sketch", "sketch", ".sketch", ".simhash", "~body", "~body.Sketch", "~body.sketch.x", "a~body.sketch", "~bodysketch"} {
		if signature.Reserved(name) {
			t.Errorf("%q is reserved", name)
		}
	}
}
