package admission_test

import (
	"context"
	"maps"
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
			for i, data := range []fields{test.there, test.written} {
				own := fields{"body": text}
				maps.Copy(own, data)
				if err := b.Index([]string{"a", "b"}[i], own); err != nil {
					t.Fatal(err)
				}
				if inBatch && i == 0 {
					continue
				}
				if _, err := plugin.SubmitBatch(context.Background(), x, b); err != nil {
					t.Fatal(err)
				}
				b.Reset()
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
