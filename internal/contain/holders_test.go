package contain_test

import (
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin"
)

// Where the field has the terms of passages there are no tables in memory, unless they are asked for. A lookup of another index's
// parameters is an error by either back end.
func TestBackend(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		terms  any
		use    contain.Backend
		tables bool
		err    string
	}{
		{"passages", "", false, ""},
		{"passages", contain.Memory, true, ""},
		{"passages", contain.Terms, false, ""},
		{"bands", "", true, ""},
		{"bands", contain.Terms, false, `backend "terms": wanted field "neardup" to have the analyzer option "terms": "passages", got none or others`},
	} {
		m := bleve.NewIndexMapping()
		if err := m.AddCustomAnalyzer("passages", map[string]any{"type": neardup.Name, "passages": 10, "terms": tt.terms}); err != nil {
			t.Fatal(err)
		}
		m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("passages"))
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		text := strings.Repeat("a b c d e f g h i j k l m n o p q r s t u v w x y z ", 2)
		if err := x.Index("a", map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
		_, reader, err := indexes.Reader(x)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		s, err := contain.New(reader, m, plugin.Field, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Use(tt.use, plugin.Field); err != nil || tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%v, %q: got %v, want %s", tt.terms, tt.use, err, tt.err)
			}
			continue
		}
		given, err := s.Given([][]byte{[]byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Candidates(t.Context(), given, 0)
		if err != nil || len(c.Docs) != 1 {
			t.Errorf("%v, %q: got %v, %v", tt.terms, tt.use, c, err)
		}
		if tables := s.Tables(); tables != tt.tables {
			t.Errorf("%v, %q: tables in memory: %v", tt.terms, tt.use, tables)
		}
		given.Prints.Params++
		if _, err := s.Candidates(t.Context(), given, 0); err == nil {
			t.Errorf("%v, %q: no error for what other parameters select", tt.terms, tt.use)
		}
	}
}
