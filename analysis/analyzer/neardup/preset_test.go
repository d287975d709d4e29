package neardup

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// A preset sets parameters and rule; other keys change single ones.
func TestPresets(t *testing.T) {
	t.Parallel()
	all := Presets()
	if all[0].Name != Pages || all[0].Params != signature.DefaultParams() || all[0].Rule != (signature.Rule{}) {
		t.Errorf("the first preset: got %+v, want the default", all[0])
	}
	for _, p := range all {
		a := build(t, map[string]any{"preset": p.Name})
		if a.Params() != p.Params || a.Rule() != p.Rule {
			t.Errorf("%s: got %+v and %+v, want %+v", p.Name, a.Params(), a.Rule(), p)
		}
		if err := p.Rule.Validate(); err != nil || p.Params.Validate() != nil {
			t.Errorf("%s: %v, %v", p.Name, err, p.Params.Validate())
		}
		plan, _ := a.Bands(true)
		if err := plan.Check(p.Rule, p.Params.Lanes); err != nil {
			t.Errorf("%s: its terms: %v", p.Name, err)
		}
	}
	short := build(t, map[string]any{"preset": Short}).Rule()
	for _, tt := range []struct {
		config map[string]any
		width  int
		rule   signature.Rule
	}{
		{map[string]any{"preset": Short, "width": 3}, 3, short},
		{map[string]any{"preset": Short, "lanes": 300}, 2, signature.Rule{Lanes: 2 * short.Lanes, LongLanes: 2 * short.LongLanes}},
		{map[string]any{"preset": Short, "rule": map[string]any{"min_words": 4}}, 2, signature.Rule{Lanes: short.Lanes, LongLanes: short.LongLanes, MinWords: 4}},
		{map[string]any{"preset": Short, "rule": map[string]any{"lanes": 90}}, 2, signature.Rule{Lanes: 90}},
		{map[string]any{"rule": signature.Rule{Lanes: 80, Mode: signature.Both}}, 4, signature.Rule{Lanes: 80, Mode: signature.Both}},
		{map[string]any{"rule": map[string]any{}}, 4, signature.Rule{}},
	} {
		a := build(t, tt.config)
		if a.Params().Width != tt.width || a.Rule() != tt.rule {
			t.Errorf("%v: got width %d and %+v, want %d and %+v", tt.config, a.Params().Width, a.Rule(), tt.width, tt.rule)
		}
	}
	if build(t, nil).Params().ID() != build(t, map[string]any{"preset": Versions}).Params().ID() {
		t.Error("a rule changes the parameters of signatures")
	}
}

func TestPresetErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		want   string
	}{
		{map[string]any{"preset": "titles"}, `neardup: preset: wanted one of ["pages" "versions" "short" "mail"], got string "titles"`},
		{map[string]any{"rule": "loose"}, `neardup: rule: wanted an object like {"lanes": 80}, got string "loose"`},
		{map[string]any{"rule": 80}, `neardup: rule: wanted an object like {"lanes": 80}, got int "80"`},
		{map[string]any{"rule": map[string]any{"lanes": 101}}, `neardup: rule: lanes: wanted 0 to 100, got 101`},
		{map[string]any{"rule": map[string]any{"lanes": 17}, "lanes": 16}, `neardup: rule: lanes: wanted 0 to 16, got 17`},
		{map[string]any{"rule": map[string]any{"long_lanes": 101}}, `neardup: rule: long_lanes: wanted 0 to 100, got 101`},
		{map[string]any{"rule": map[string]any{"lanes": -1}}, `neardup: rule: lanes: wanted 0 to 1024, got -1`},
		{map[string]any{"rule": map[string]any{"lane": 1}}, `neardup: rule: wanted members among ["hamming" "lanes" "long_lanes" "min_words" "mode"], got "lane"`},
		{map[string]any{"rule": map[string]any{"mode": "any"}}, `neardup: rule: mode: wanted "either"`},
	} {
		if _, err := AnalyzerConstructor(tt.config, registry.NewCache()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.config, err, tt.want)
		}
	}
}

// withRules returns a mapping with a document mapping for each configuration, all of which have the
// field f.
func withRules(t *testing.T, configs ...map[string]any) *mapping.IndexMappingImpl {
	t.Helper()
	m := mapping.NewIndexMapping()
	for i, c := range configs {
		name := fmt.Sprint("analyzer", i)
		c["type"] = Name
		if err := m.AddCustomAnalyzer(name, c); err != nil {
			t.Fatal(err)
		}
		dm := mapping.NewDocumentMapping()
		dm.AddFieldMappingsAt("text", &mapping.FieldMapping{Name: "f", Type: "text", Analyzer: name, Index: true})
		m.AddDocumentMapping(fmt.Sprint("kind", i), dm)
	}
	return m
}

func TestRuleOf(t *testing.T) {
	t.Parallel()
	one := withRules(t, map[string]any{"rule": map[string]any{"lanes": 70, "min_words": 3}})
	data, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	reopened := new(mapping.IndexMappingImpl)
	if err := json.Unmarshal(data, reopened); err != nil {
		t.Fatal(err)
	}
	two := withRules(t, map[string]any{"rule": map[string]any{"lanes": 70}}, map[string]any{"rule": map[string]any{"lanes": 80, "hamming": 3}})
	for _, tt := range []struct {
		mapping mapping.IndexMapping
		field   string
		asked   signature.Rule
		want    signature.Rule
		known   bool
		err     string
	}{
		{one, "f", signature.Rule{}, signature.Rule{Lanes: 70, MinWords: 3}, true, ""},
		{reopened, "f", signature.Rule{Hamming: -1}, signature.Rule{Lanes: 70, Hamming: -1, MinWords: 3}, true, ""},
		{one, "f", signature.Rule{Lanes: 90, MinWords: -1}, signature.Rule{Lanes: 90, MinWords: -1}, true, ""},
		{one, "g", signature.Rule{Hamming: 2}, signature.Rule{Hamming: 2}, false, ""},
		{one, "f", signature.Rule{Lanes: 101}, signature.Rule{}, true, `neardup: field "f": rule: lanes: wanted 0 to 100, as many as its sketches have, got 101`},
		{mapping.NewIndexMapping(), "f", signature.Rule{}, signature.Rule{}, false, ""},
		{nil, "f", signature.Rule{Lanes: 5}, signature.Rule{Lanes: 5}, false, ""},
		{(*mapping.IndexMappingImpl)(nil), "f", signature.Rule{}, signature.Rule{}, false, ""},
		{two, "f", signature.Rule{}, signature.Rule{}, true, `neardup: field "f": document mappings must not give it different rules`},
		{two, "f", signature.Rule{Lanes: 75}, signature.Rule{Lanes: 75}, true, ""}, // 3 is the default of hamming
		{two, "f", signature.Rule{Hamming: 2}, signature.Rule{}, true, `neardup: field "f": document mappings must not give it different rules`},
	} {
		for range 2 { // the second time from what is kept
			got, known, err := RuleOf(tt.mapping, tt.field, tt.asked)
			if known != tt.known || (err != nil) != (tt.err != "") || err == nil && got != tt.want {
				t.Errorf("%s, asked %+v: got %+v, %v, %v; want %+v, %v", tt.field, tt.asked, got, known, err, tt.want, tt.known)
			}
			if err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Error(err)
			}
		}
	}
}

// One word of a title is changed: the default rule takes the titles for different, the preset
// for near-duplicates.
func ExamplePreset() {
	m := mapping.NewIndexMapping()
	err := m.AddCustomAnalyzer("titles", map[string]any{"type": Name, "preset": Short})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := m.AnalyzerNamed("titles").(*Analyzer)
	one := signText(a, "Police find the stolen car of a singer in a lake near the old town of Lucerne")
	other := signText(a, "Police find the stolen car of an actor in a lake near the old town of Lucerne")
	_, ok := a.Rule().Match(one, other)
	fmt.Println(ok)
	// Output: true
}
