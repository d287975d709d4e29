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

// What a policy says in JSON is read back as it was, and what is wrong with it is said.
func TestPolicyJSON(t *testing.T) {
	t.Parallel()
	texts := []string{
		`{"field":"page","rule":{"hamming":-1,"mode":"sketch_only","min_words":9},"scope":"host","near":"replace","prefer":[{"keep":"longest"}],` +
			`"floods":[{"copies":5,"window":"24h0m0s","action":"tag"}],"time":"date","known":"reject","shadow":true}`,
		`{"near":"replace","prefer":[{"field":"source","values":["own"]},{"keep":"longest"}],` +
			`"floods":[{"copies":3,"window":"1h0m0s","distinct":"sender"},{"copies":20,"window":"24h0m0s","same":"sender","action":"tag"}],` +
			`"known":"reject","known_rule":{"lanes":30,"contains":0.8,"contained":0.9,"min_shingles":20}}`,
		`{"hidden":{"share":0.5,"min_words":30,"action":"reject"}}`,
	}
	for _, p := range policies {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		p, err := admission.ParsePolicy([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := json.Marshal(p); err != nil || string(again) != text {
			t.Errorf("got %s, %v, want %s", again, err, text)
		}
	}
	for text, want := range map[string]string{
		`{"near":"drop"}`:                                                                    `near: wanted ["accept" "tag" "reject" "replace"], got "drop"`,
		`{"known":"replace"}`:                                                                `known: wanted ["accept" "tag" "reject"], got "replace"`,
		`{"prefer":["newest"]}`:                                                              `prefer: wanted near to be "replace", got ""`,
		`{"floods":[{"window":"1h"}]}`:                                                       `floods[0]: copies: wanted 1 or more, got 0`,
		`{"floods":[{"copies":1,"window":"day"}]}`:                                           `invalid duration "day"`,
		`{"floods":[{"copies":1,"window":"1h","action":"replace"}]}`:                         `floods[0]: action: wanted`,
		`{"colour":1}`:                                                                       `got "colour"`,
		`{"near":"tag","max_replaced":5}`:                                                    `max_replaced: wanted near to be "replace", got "tag"`,
		`{"rule":{"hamming":65}}`:                                                            `hamming: wanted -1 to 64, got 65`,
		`{"near":"replace","prefer":["best"]}`:                                               `prefer: wanted one of ["newest" "oldest" "longest" "shortest"], got "best"`,
		`{"near":"replace","prefer":[{}]}`:                                                   `prefer: wanted either keep or field, got "" and ""`,
		`{"near":"replace","prefer":[{"keep":"newest","field":"x"}]}`:                        `wanted either keep or field, got "newest" and "x"`,
		`{"near":"replace","prefer":[{"keep":"newest","least":true}]}`:                       `wanted a field for least and values`,
		`{"near":"replace","prefer":[{"field":"x","least":true,"values":["a"]}]}`:            `wanted either least or values, got both`,
		`{"near":"replace","prefer":[{"fields":"x"}]}`:                                       `got "fields"`,
		`{"near":"replace","prefer":[7]}`:                                                    `prefer: wanted an object, got a number`,
		`{"near":"tag","prefer":["longest"]}`:                                                `wanted near to be "replace", got "tag"`,
		`{"floods":[{"copies":1,"window":"1h"},{"copies":0,"window":"1h"}]}`:                 `floods[1]: copies: wanted 1 or more, got 0`,
		`{"floods":[{"copies":1,"window":"1h"},{"copies":1,"window":"1h","action":"burn"}]}`: `floods[1]: action: wanted`,
		`{"floods":[{"copies":1,"window":"1h","distinct":"a","same":"a"}]}`:                  `floods[0]: distinct: wanted another field than same, got "a" for both`,
		`{"floods":[{"copies":1}]}`:                                                          `floods[0]: window: wanted a time above 0`,
		`{"known":"tag","known_rule":{"lanes":-2}}`:                                          `known_rule: lanes: wanted -1 to 1024, got -2`,
		`{"known":"tag","known_rule":{"contains":1.5}}`:                                      `known_rule: contains: wanted -1 or 0 to 1, got 1.5`,
		`{"known":"tag","known_rule":{"min_shingles":-1}}`:                                   `known_rule: min_shingles: wanted 0 or more, got -1`,
		`{"known_rule":{"lanes":30}}`:                                                        `known_rule: wanted known to say what happens`,
		`{"known":"tag","known_rule":{"lane":30}}`:                                           `got "lane"`,
		`{"hidden":{}}`:                                 `admission: hidden: share: wanted a number above 0 and up to 1, got 0`,
		`{"hidden":{"share":1.5}}`:                      `share: wanted a number above 0 and up to 1, got 1.5`,
		`{"hidden":{"share":1,"min_words":-1}}`:         `hidden: min_words: wanted 0 or more, got -1`,
		`{"hidden":{"share":1,"action":"drop"}}`:        `hidden: action: wanted ["accept" "tag" "reject"], got "drop"`,
		`{"hidden":{"share":1,"limit":2}}`:              `got "limit"`,
		`{"hidden":{"share":"much"}}`:                   `share: wanted`,
		`{"hidden":{"share":1},"near":"replaces"}`:      `near: wanted`,
		`{"unscoped":"reject"}`:                         "admission: unscoped needs scope, got none",
		`{"scope":"tenant","unscoped":"replace"}`:       `admission: unscoped: wanted ["accept" "tag" "reject"], got "replace"`,
		`{"known":"tag","known_rule":{"contained":-1}}`: `known_rule: contained: wanted 0 to 1, got -1`,
	} {
		if _, err := admission.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
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
