package signature_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

func TestRuleJSON(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		json string
		want signature.Rule
	}{
		{`{}`, signature.Rule{}},
		{`{"lanes": 80}`, signature.Rule{Lanes: 80}},
		{`{"lanes": 80, "hamming": 0}`, signature.Rule{Lanes: 80}},
		{`{"long_lanes": 95}`, signature.Rule{LongLanes: 95}},
		{`{"hamming": -1}`, signature.Rule{Hamming: -1}},
		{`{"mode": "both"}`, signature.Rule{Mode: signature.Both}},
		{`{"mode": "exact_only", "min_words": -1}`, signature.Rule{Mode: signature.ExactOnly, MinWords: -1}},
		{
			`{"lanes": 1024, "hamming": 64, "mode": "sketch_only", "min_words": 1000000}`,
			signature.Rule{Lanes: 1024, Hamming: 64, Mode: signature.SketchOnly, MinWords: 1000000},
		},
	} {
		var got signature.Rule
		if err := json.Unmarshal([]byte(tt.json), &got); err != nil || got != tt.want {
			t.Errorf("%s: got %+v, %v, want %+v", tt.json, got, err, tt.want)
		}
		data, err := json.Marshal(got)
		var again signature.Rule
		if err := json.Unmarshal(data, &again); err != nil || again != got {
			t.Errorf("%s: got %+v, %v, want %+v", data, again, err, got)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// A rule inside another object starts from the defaults too.
func TestRuleJSONInside(t *testing.T) {
	t.Parallel()
	var options struct {
		Rule signature.Rule `json:"rule"`
	}
	if err := json.Unmarshal([]byte(`{"rule": {"mode": "simhash_only"}}`), &options); err != nil {
		t.Fatal(err)
	}
	if want := (signature.Rule{Mode: signature.SimhashOnly}); options.Rule != want {
		t.Errorf("got %+v, want %+v", options.Rule, want)
	}
}

// An error names the member and the value, and leaves the rule unchanged.
func TestRuleJSONErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		json string
		says []string
	}{
		{`{"lanes": -1}`, []string{"lanes", "wanted 0 to 1024", "got -1"}},
		{`{"lanes": 1025}`, []string{"lanes", "wanted 0 to 1024", "got 1025"}},
		{`{"long_lanes": 1025}`, []string{"long_lanes", "wanted 0 to 1024", "got 1025"}},
		{`{"hamming": -2}`, []string{"hamming", "wanted -1 to 64", "got -2"}},
		{`{"hamming": 65}`, []string{"hamming", "wanted -1 to 64", "got 65"}},
		{`{"min_words": -2}`, []string{"min_words", "wanted -1 or more", "got -2"}},
		{`{"mode": "all"}`, []string{"mode", `wanted "either", "both", "sketch_only", "simhash_only" or "exact_only"`, `got "all"`}},
		{`{"min_shingles": 9}`, []string{"wanted members among", `"min_shingles"`}},
		{`{"lane": 90}`, []string{"wanted members among", `"lane"`}},
		{`{"lanes": "90"}`, []string{"lanes", "string"}},
		{`{"lanes": 90.5}`, []string{"lanes", "90.5"}},
		{`{"mode": 1}`, []string{"mode", "number"}},
		{`[]`, []string{"wanted an object, got a list"}},
		{`"both"`, []string{"string"}},
	} {
		before := signature.Rule{Lanes: 5, Hamming: 6, Mode: signature.Both, MinWords: 7}
		got := before
		err := json.Unmarshal([]byte(tt.json), &got)
		if err == nil || got != before {
			t.Errorf("%s: got %+v, error %v", tt.json, got, err)
			continue
		}
		for _, s := range append(tt.says, "rule: ") {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %q does not say %q", tt.json, err, s)
			}
		}
	}
}

func TestRuleValidate(t *testing.T) {
	t.Parallel()
	for _, rule := range []signature.Rule{{}, {Hamming: -1, MinWords: -1}, {Lanes: 1024, Hamming: 64, MinWords: math.MaxInt}} {
		if err := rule.Validate(); err != nil {
			t.Errorf("%+v: %v", rule, err)
		}
	}
}

func TestReasonText(t *testing.T) {
	t.Parallel()
	for reason, want := range []string{
		"", "exact", "sketch", "exact+sketch", "simhash", "exact+simhash", "sketch+simhash", "exact+sketch+simhash",
	} {
		r := signature.Reason(reason)
		text, err := r.MarshalText()
		if err != nil || string(text) != want || r.String() != want {
			t.Errorf("reason %d: got %q, %v, want %q", r, text, err, want)
		}
		again := ^r
		if err := again.UnmarshalText(text); err != nil || again != r {
			t.Errorf("%q: got %d, %v, want %d", text, again, err, r)
		}
	}
	for _, text := range []string{"exactly", "exact+", "+", "exact sketch", "Exact", "exact,sketch"} {
		r := signature.BySimhash
		if err := r.UnmarshalText([]byte(text)); err == nil || r != signature.BySimhash || !strings.Contains(err.Error(), `"`+text+`"`) {
			t.Errorf("%q: got %v, error %v", text, r, err)
		}
	}
}

// A match is for people and programs to read.
func TestMatchJSON(t *testing.T) {
	t.Parallel()
	match := signature.Match{Agree: 93, Hamming: 2, By: signature.BySketch | signature.BySimhash}
	data, err := json.Marshal(match)
	if want := `{"agree":93,"hamming":2,"by":"sketch+simhash"}`; err != nil || string(data) != want {
		t.Errorf("got %s, %v, want %s", data, err, want)
	}
	var again signature.Match
	if err := json.Unmarshal(data, &again); err != nil || again != match {
		t.Errorf("got %+v, %v, want %+v", again, err, match)
	}
}
