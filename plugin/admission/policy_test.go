package admission_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// The limits in examples/docs/suppress.md are those of repetition.Stuffing.
func TestStuffingJSON(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../examples/docs/suppress.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), `    {"repetition": `)
	text, _, _ = strings.Cut(text, "\n\n")
	p, err := admission.ParsePolicy([]byte(`{"repetition": ` + text))
	if err != nil || p.Repetition.Limits != repetition.Stuffing() {
		t.Errorf("got %+v, %v, want %+v", p, err, repetition.Stuffing())
	}
}

// A policy given to bleve.NewUsing is kept with the index.
func TestPolicyInSettings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	config := map[string]any{indextype.PolicyKey: map[string]any{"near": "reject"}}
	x, err := bleve.NewUsing(path, m, indextype.Name, bleve.Config.DefaultKVStore, config)
	if err != nil {
		t.Fatal(err)
	}
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	if err := x.Index("a", map[string]any{"body": text}); err != nil {
		t.Fatal(err)
	}
	x.Close()
	if x, err = bleve.Open(path); err != nil {
		t.Fatal(err)
	}
	if err := x.Index("b", map[string]any{"body": text}); err == nil {
		t.Error("the policy is forgotten")
	}
	x.Close()
	config[indextype.PolicyKey] = map[string]any{"near": "refuse"}
	if _, err = bleve.OpenUsing(path, config); err == nil || !strings.Contains(err.Error(), `near: wanted ["accept" "tag" "reject" "replace"], got "refuse"`) {
		t.Errorf("got %v", err)
	}
	config[indextype.PolicyKey] = map[string]any{}
	if x, err = bleve.OpenUsing(path, config); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Index("b", map[string]any{"body": text}); err != nil {
		t.Errorf("the policy of this run does not count: %v", err)
	}
}

func TestPolicyJSON(t *testing.T) {
	t.Parallel()
	const text = `{"field":"page","rule":{"hamming":-1,"mode":"sketch_only","min_words":9},"scope":"host","near":"replace","keep":"longest",` +
		`"flood":{"copies":5,"window":"24h0m0s","action":"tag"},"time":"date","known":"reject","shadow":true}`
	p, err := admission.ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(p); err != nil || string(again) != text {
		t.Errorf("got %s, %v", again, err)
	}
	for text, want := range map[string]string{
		`{"near":"drop"}`:                                         `near: wanted ["accept" "tag" "reject" "replace"], got "drop"`,
		`{"known":"replace"}`:                                     `known: wanted ["accept" "tag" "reject"], got "replace"`,
		`{"keep":"newest"}`:                                       `keep: wanted near to be "replace", got ""`,
		`{"near":"replace","keep":"first"}`:                       `keep: wanted "newest" or "longest", got "first"`,
		`{"flood":{"window":"1h"}}`:                               `flood: copies: wanted 1 or more, got 0`,
		`{"flood":{"copies":1}}`:                                  `flood: window: wanted a time above 0, got 0s`,
		`{"flood":{"copies":1,"window":"day"}}`:                   `invalid duration "day"`,
		`{"flood":{"copies":1,"window":"1h","action":"replace"}}`: `flood: action: wanted`,
		`{"colour":1}`:                                            `got "colour"`,
		`{"rule":{"hamming":65}}`:                                 `hamming: wanted -1 to 64, got 65`,
	} {
		if _, err := admission.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	x := newIndex(t, "")
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Field: "title"}); err == nil || !strings.Contains(err.Error(), `wanted a fingerprinted field, one of ["neardup"], got "title"`) {
		t.Errorf("got %v", err)
	}
}

// Stuffed text is told by what it repeats.
func TestRepetition(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	setPolicy(t, x, admission.Policy{Repetition: &admission.Repetition{Limits: repetition.Stuffing(), Action: admission.Reject}})
	plain := words(rand.New(rand.NewPCG(1, 1)), 1)
	stuffed := plain + strings.Repeat(" cheap watches online", 30)
	if v := submit(t, x, page{id: "plain", body: plain}); v.Action != admission.Accept {
		t.Errorf("got %v", v)
	}
	if err := typed(x).MarkText(context.Background(), "m", admission.Wanted, stuffed); err != nil {
		t.Fatal(err)
	}
	v := submit(t, x, page{id: "stuffed", body: stuffed})
	if v.Action != admission.Reject || v.Policy != "repetition" || !strings.Contains(v.String(), "top_3_gram_characters") {
		t.Errorf("got %v", v)
	}
}

// A policy that asks for more lanes than the field's sketches have would match nothing.
func TestPolicyOfTooManyLanes(t *testing.T) {
	t.Parallel()
	const want = `field "neardup": rule, known_rule: lanes: wanted at most 100, as many as its sketches have, got 101`
	for _, p := range []*admission.Policy{
		{Near: admission.Tag, Rule: signature.Rule{Lanes: 101}},
		{Known: admission.Tag, KnownRule: admission.KnownRule{Lanes: 101}},
	} {
		if err := plugin.SetPolicy(t.Context(), newIndex(t, ""), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
