package admission_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
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

func TestPolicyJSON(t *testing.T) {
	t.Parallel()
	const text = `{"field":"page","rule":{"hamming":-1,"mode":"sketch_only","min_words":9},"scope":"host","near":"replace","prefer":[{"keep":"longest"}],` +
		`"floods":[{"copies":5,"window":"24h0m0s","action":"tag"}],"time":"date","known":"reject","shadow":true}`
	p, err := admission.ParsePolicy([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(p); err != nil || string(again) != text {
		t.Errorf("got %s, %v", again, err)
	}
	for text, want := range map[string]string{
		`{"near":"drop"}`:                                            `near: wanted ["accept" "tag" "reject" "replace"], got "drop"`,
		`{"known":"replace"}`:                                        `known: wanted ["accept" "tag" "reject"], got "replace"`,
		`{"prefer":["newest"]}`:                                      `prefer: wanted near to be "replace", got ""`,
		`{"near":"replace","prefer":["first"]}`:                      `prefer: wanted one of ["newest" "oldest" "longest" "shortest"], got "first"`,
		`{"floods":[{"window":"1h"}]}`:                               `floods[0]: copies: wanted 1 or more, got 0`,
		`{"floods":[{"copies":1}]}`:                                  `floods[0]: window: wanted a time above 0, got 0s`,
		`{"floods":[{"copies":1,"window":"day"}]}`:                   `invalid duration "day"`,
		`{"floods":[{"copies":1,"window":"1h","action":"replace"}]}`: `floods[0]: action: wanted`,
		`{"colour":1}`:                                               `got "colour"`,
		`{"near":"tag","max_replaced":5}`:                            `max_replaced: wanted near to be "replace", got "tag"`,
		`{"rule":{"hamming":65}}`:                                    `hamming: wanted -1 to 64, got 65`,
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
