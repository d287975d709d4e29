package signature_test

import (
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// The names are on disk: they never change.
func TestFieldNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ field, sketch, simhash string }{
		{signature.DefaultField, "~neardup.sketch", "~neardup.simhash"},
		{"body", "~body.sketch", "~body.simhash"},
		{"page.body", "~page.body.sketch", "~page.body.simhash"},
		{"~", "~~.sketch", "~~.simhash"},
		{"", "~.sketch", "~.simhash"},
	} {
		if sketch, simhash := signature.SketchField(tt.field), signature.SimhashField(tt.field); sketch != tt.sketch || simhash != tt.simhash {
			t.Errorf("%q: got %q and %q, want %q and %q", tt.field, sketch, simhash, tt.sketch, tt.simhash)
		}
	}
}

// What signatures are stored under is reserved whatever the field is called, and
// nothing else that a document may well have.
func TestReserved(t *testing.T) {
	t.Parallel()
	for _, field := range []string{signature.DefaultField, "body", "page.body", "~", "", "日本"} {
		for _, name := range []string{signature.SketchField(field), signature.SimhashField(field)} {
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
