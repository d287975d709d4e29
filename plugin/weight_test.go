package plugin_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/plugin"
)

func init() {
	err := signature.RegisterWeight("first letter", func(feature []byte, _ int) uint32 { return uint32(feature[0]) % 8 })
	if err != nil {
		panic(err)
	}
}

// A mapping names a function for the weights of the simhash; one that is not registered is an
// error that says what to do.
func TestRegisteredWeight(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	err := m.AddCustomAnalyzer("unknown", map[string]any{"type": "neardup", "simhash_weight": "of another application"})
	if want := `neardup: simhash_weight: wanted one of ["distinct" "count" "log"], or the name of a function that signature.RegisterWeight got before, got string "of another application"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := m.AddCustomAnalyzer("own", map[string]any{"type": "neardup", "simhash_weight": "first letter"}); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("own"))
	path := filepath.Join(t.TempDir(), "x")
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	text := "one two three four five six seven eight nine ten"
	p := signature.DefaultParams()
	p.SimhashWeight = "first letter"
	for _, id := range []string{"a", "b"} { // before and after the index is opened again
		if err := x.Index(id, map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
		request := bleve.NewSearchRequest(bleve.NewDocIDQuery([]string{id}))
		request.Fields = []string{signature.Field(plugin.Field).Sketch()}
		result, err := x.Search(request)
		if err != nil || len(result.Hits) != 1 {
			t.Fatalf("got %v, %v", result, err)
		}
		got, err := stored.OfHit(result.Hits[0], request.Fields[0])
		if want := signature.Of(p, []byte(text)); err != nil || got.Params != want.Params || got.Simhash != want.Simhash {
			t.Errorf("%s: got %+v, %v, want %+v", id, got, err, want)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if x, err = plugin.Open(path); err != nil {
			t.Fatal(err)
		}
	}
	x.Close()
}
