package admission_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// A policy in JSON says what stays, in order: the first preference in which two copies differ
// decides, and the one that is there stays if none does.
func TestPreferences(t *testing.T) {
	t.Parallel()
	text := words(rand.New(rand.NewPCG(1, 1)), 1) + strings.Repeat(" more", 30)
	day := func(n int) string { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC).Format(time.RFC3339) }
	type fields = map[string]any
	for i, test := range []struct {
		prefer         string
		there, written fields
		replaces       bool
	}{
		{`["newest"]`, fields{"sent": day(1)}, fields{"sent": day(2)}, true},
		{`["newest"]`, fields{"sent": day(2)}, fields{"sent": day(1)}, false},
		{`["newest"]`, fields{"sent": day(2)}, fields{"sent": day(2)}, false},
		{`["oldest"]`, fields{"sent": day(2)}, fields{"sent": day(1)}, true},
		{`["longest"]`, fields{}, fields{"body": text + " more more"}, true},
		{`["longest"]`, fields{"body": text + " more more"}, fields{}, false},
		{`["shortest"]`, fields{"body": text + " more more"}, fields{}, true},
		{`["longest","newest"]`, fields{"sent": day(1)}, fields{"sent": day(2)}, true},
		{`["longest","newest"]`, fields{"sent": day(1), "body": text + " more"}, fields{"sent": day(2)}, false},
		{`[{"keep":"oldest"},"longest"]`, fields{"sent": day(2)}, fields{"sent": day(2), "body": text + " more"}, true},
		{`[{"field":"rank"}]`, fields{"rank": 9}, fields{"rank": 10}, true},
		{`[{"field":"rank"}]`, fields{"rank": 10}, fields{"rank": 9}, false},
		{`[{"field":"rank","least":true}]`, fields{"rank": 10}, fields{"rank": 9}, true},
		{`[{"field":"rank"}]`, fields{"rank": -1}, fields{}, false},
		{`[{"field":"rank","least":true}]`, fields{}, fields{"rank": 1}, true},
		{`[{"field":"rank"},"newest"]`, fields{"rank": 3, "sent": day(1)}, fields{"rank": 3, "sent": day(2)}, true},
		{`[{"field":"sent","least":true}]`, fields{"sent": day(10)}, fields{"sent": day(9)}, true},
		{`[{"field":"tenant"}]`, fields{"tenant": "a"}, fields{"tenant": "b"}, true},
		{`[{"field":"tenant","values":["own","partner"]}]`, fields{"tenant": "partner"}, fields{"tenant": "own"}, true},
		{`[{"field":"tenant","values":["own","partner"]}]`, fields{"tenant": "partner"}, fields{"tenant": "zzz"}, false},
		{`[{"field":"tenant","values":["own","partner"]}]`, fields{"tenant": "other"}, fields{"tenant": "zzz"}, false},
		{`[{"field":"tenant","values":["own"]},"longest"]`, fields{"tenant": "own", "body": text + " more"}, fields{"tenant": "own"}, false},
	} {
		p, err := admission.ParsePolicy([]byte(`{"near":"replace","time":"sent","prefer":` + test.prefer + `}`))
		if err != nil {
			t.Fatalf("%s: %v", test.prefer, err)
		}
		for _, inBatch := range []bool{false, true} {
			if testing.Short() && inBatch == (i%2 == 0) {
				continue // each test one way
			}
			x := newIndex(t, "")
			setPolicy(t, x, *p)
			b := x.NewBatch()
			for id, data := range map[string]fields{"a": test.there, "b": test.written} {
				own := fields{"body": text}
				for k, v := range data {
					own[k] = v
				}
				if err := b.Index(id, own); err != nil {
					t.Fatal(err)
				}
				if !inBatch && id == "a" {
					if err := x.Index(id, own); err != nil {
						t.Fatal(err)
					}
				}
			}
			if !inBatch {
				b.Delete("a")
				b = x.NewBatch()
				own := fields{"body": text}
				for k, v := range test.written {
					own[k] = v
				}
				if err := b.Index("b", own); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := plugin.SubmitBatch(context.Background(), x, b); err != nil {
				t.Fatal(err)
			}
			left, err := x.Document("b")
			if err != nil || (left != nil) != test.replaces {
				t.Errorf("%s, %v after %v, in a batch %v: replaced %v, want %v (%v)", test.prefer, test.written, test.there, inBatch, left != nil, test.replaces, err)
			}
			if n, _ := x.DocCount(); n != 1 {
				t.Errorf("%d documents", n)
			}
		}
	}
}

// What a policy says in JSON is read back as it was, and what is wrong with it is said.
func TestPolicyOfLists(t *testing.T) {
	t.Parallel()
	const text = `{"near":"replace","prefer":[{"field":"source","values":["own"]},{"keep":"longest"}],` +
		`"floods":[{"copies":3,"window":"1h0m0s","distinct":"sender"},{"copies":20,"window":"24h0m0s","same":"sender","action":"tag"}],` +
		`"known":"reject","known_rule":{"lanes":30,"contains":0.8,"contained":-1,"min_shingles":20}}`
	if _, err := admission.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), "known_rule: contained: wanted 0 to 1, got -1") {
		t.Errorf("got %v", err)
	}
	good := strings.Replace(text, `"contained":-1`, `"contained":0.9`, 1)
	p, err := admission.ParsePolicy([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(p); err != nil || string(again) != good {
		t.Errorf("got %s, %v, want %s", again, err, good)
	}
	for text, want := range map[string]string{
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
	} {
		if _, err := admission.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// The policies of the page for operators are valid.
func TestPoliciesOfPages(t *testing.T) {
	t.Parallel()
	n := 0
	page, err := os.ReadFile("../../examples/docs/suppress.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range regexp.MustCompile("(?s)```json\n(.*?)```|`(\\{\"(?:known|scope|near)\".*?\\})`").FindAllStringSubmatch(string(page), -1) {
		n++
		if _, err := admission.ParsePolicy([]byte(policy[1] + policy[2])); err != nil {
			t.Errorf("%s: %v", policy[0], err)
		}
	}
	if n < 3 {
		t.Errorf("%d policies: this test shows little", n)
	}
}
