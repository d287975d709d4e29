package plugin_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin"
)

// An index does not open with a mapping that would sign otherwise than what is there,
// and does with one that changes something else.
func TestUpdatedParameters(t *testing.T) {
	t.Parallel()
	custom := func(config map[string]any) *mapping.IndexMappingImpl {
		m := bleve.NewIndexMapping()
		config["type"] = "neardup"
		if err := m.AddCustomAnalyzer("own", config); err != nil {
			t.Fatal(err)
		}
		m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("own"))
		return m
	}
	path := filepath.Join(t.TempDir(), "x")
	x, err := plugin.New(path, custom(map[string]any{"width": 6}))
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Index("a", map[string]any{"body": "some text"}); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		m    *mapping.IndexMappingImpl
		want string
	}{
		{"another width", custom(map[string]any{"width": 3}), `field "neardup": wanted the analyzer's configuration that the index was made with, got another; package backfill`},
		{"a char filter more", custom(map[string]any{"width": 6, "char_filters": []string{"html"}}), "package backfill"},
		{"the same", custom(map[string]any{"width": 6}), ""},
	} {
		updated, err := json.Marshal(tt.m)
		if err != nil {
			t.Fatal(err)
		}
		x, err := bleve.OpenUsing(path, map[string]any{"updated_mapping": string(updated)})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: wanted %q, got %v", tt.name, tt.want, err)
		}
		if err == nil {
			if n, err := x.DocCount(); n != 1 || err != nil {
				t.Errorf("%s: %d documents, %v", tt.name, n, err)
			}
			x.Close()
		}
	}
}
