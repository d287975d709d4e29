package plugin_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// ruled returns an index whose field has a rule, as the JSON of a configuration.
func ruled(t *testing.T, rule string) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	config := map[string]any{"type": neardup.Name}
	if rule != "" {
		var read map[string]any
		if err := json.Unmarshal([]byte(rule), &read); err != nil {
			t.Fatal(err)
		}
		config["rule"] = read
	}
	if err := m.AddCustomAnalyzer("own", config); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("own"))
	x := opened(t, "", m)
	return x
}

// versions returns texts of 30 to 80 words: a text, and what is left of it after 0 to 4 words changed.
func versions(n int) (texts []string) {
	rnd := rand.New(rand.NewPCG(81, 82))
	for len(texts) < n {
		words := make([]string, 30+rnd.IntN(50))
		for i := range words {
			words[i] = fmt.Sprint("w", rnd.IntN(5000))
		}
		for edits := range 5 {
			own := slices.Clone(words)
			for range edits {
				own[rnd.IntN(len(own))] = "x"
			}
			texts = append(texts, strings.Join(own, " "))
		}
	}
	return texts[:n]
}

// answers are what all say that compare documents by a rule, of texts in an index whose field has one.
func answers(t *testing.T, field string, rule signature.Rule, texts []string) map[string]string {
	t.Helper()
	ctx, all := t.Context(), map[string]string{}
	say := func(by string, v any, err error) {
		t.Helper()
		text, _ := json.Marshal(v)
		if all[by] += string(text); err != nil {
			t.Fatalf("field %s, asked %+v: %s: %v", field, rule, by, err)
		}
	}
	x, gated := ruled(t, field), ruled(t, field)
	if err := plugin.SetPolicy(ctx, gated, &admission.Policy{Rule: rule, Near: admission.Reject}); err != nil {
		t.Fatal(err)
	}
	batch := x.NewBatch()
	for i, text := range texts {
		if err := batch.Index(fmt.Sprintf("%03d", i), map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
		verdict, err := plugin.Submit(ctx, gated, fmt.Sprintf("%03d", i), map[string]any{"body": text})
		say("policy", verdict.Action, err)
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	request := bleve.NewSearchRequestOptions(query.NewMatchAllQuery(), len(texts), 0, false)
	request.SortBy([]string{"_id"})
	for name, in := range map[string]bleve.Index{"index": x, "alias": bleve.NewIndexAlias(x, ruled(t, field))} {
		for _, whole := range []bool{false, true} {
			found, err := collapse.Search(ctx, in, request, collapse.Options{Rule: rule, Whole: whole})
			if err != nil {
				t.Fatal(err)
			}
			say(fmt.Sprint(name, ", whole ", whole), found.Groups, nil)
		}
		for i := range 10 {
			q := near.SimilarQuery{ID: fmt.Sprintf("%03d", i), Rule: rule}
			found, err := near.Similar(ctx, in, near.SimilarRequest{Query: q, Size: 100})
			if err != nil {
				t.Fatal(err)
			}
			say("similar in "+name, found.Hits, nil)
		}
	}
	for g, err := range near.Groups(ctx, x, near.GroupsOptions{Rule: rule, Order: []string{"_id"}}) {
		say("groups", g, err)
	}
	request.Query = collapse.NewQuery(query.NewMatchAllQuery(), collapse.Options{Rule: rule})
	found, err := x.Search(request)
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range found.Hits {
		say("query", hit.ID, nil)
	}
	return all
}

// Whatever compares documents takes the field's rule in place of what its caller leaves at zero: it says what it says
// to a caller who leaves nothing, on an index whose field has no rule.
func TestFieldRule(t *testing.T) {
	t.Parallel()
	texts := versions(60)
	seen := map[string]string{} // rules by what is said, to see that the test can fail
	for _, tt := range []struct {
		field       string
		asked, want signature.Rule
	}{
		{`{}`, signature.Rule{}, signature.Rule{}},
		{`{"lanes": 60}`, signature.Rule{}, signature.Rule{Lanes: 60}},
		{`{"lanes": 60}`, signature.Rule{Lanes: 75}, signature.Rule{Lanes: 75}},
		{`{"lanes": 60, "min_words": 50}`, signature.Rule{Hamming: -1}, signature.Rule{Lanes: 60, Hamming: -1, MinWords: 50}},
		{`{"lanes": 60, "hamming": 12, "mode": "both", "min_words": 50}`, signature.Rule{}.Explicit(100), signature.Rule{}},
	} {
		got, want := answers(t, tt.field, tt.asked, texts), answers(t, "", tt.want, texts)
		for by := range want {
			if got[by] != want[by] || want[by] == "" {
				t.Errorf("field %s, asked %+v: %s: got\n%s\nwant\n%s", tt.field, tt.asked, by, got[by], want[by])
			}
			what := fmt.Sprintf("%+v", tt.want)
			if before := cmp.Or(seen[by+want[by]], what); before != what {
				t.Errorf("%s: the same by %s as by %s", by, what, before)
			}
			seen[by+want[by]] = what
		}
	}
}

// Members of an alias whose rules differ are an error, unless the caller says what they differ in;
// an index without the field has no say.
func TestFieldRulesDiffer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a, b := ruled(t, `{"lanes": 60}`), ruled(t, `{"lanes": 80}`)
	a.SetName("a")
	b.SetName("b")
	for _, x := range []bleve.Index{a, b} {
		if err := x.Index(x.Name(), map[string]any{"body": "one two three four five six seven eight nine"}); err != nil {
			t.Fatal(err)
		}
	}
	alias := bleve.NewIndexAlias(a, b)
	request := bleve.NewSearchRequest(query.NewMatchAllQuery())
	const says = `field "neardup": wanted one rule of all indexes, got {Lanes:60 LongLanes:0 Hamming:0 Mode: MinWords:0} of "a" and {Lanes:80 LongLanes:0 Hamming:0 Mode: MinWords:0} of "b"`
	ask := func(rule signature.Rule) (errs []error) {
		_, err := collapse.Search(ctx, alias, request, collapse.Options{Rule: rule})
		errs = append(errs, err)
		_, err = near.Similar(ctx, alias, near.SimilarRequest{Query: near.SimilarQuery{ID: "a", Rule: rule}})
		errs = append(errs, err)
		for _, err = range near.Groups(ctx, alias, near.GroupsOptions{Rule: rule}) {
			if err != nil {
				break
			}
		}
		return append(errs, err)
	}
	for i, err := range ask(signature.Rule{Hamming: 2, MinWords: -1}) {
		want := strings.ReplaceAll(strings.ReplaceAll(says, "Hamming:0", "Hamming:2"), "MinWords:0", "MinWords:-1")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got error %v, want %s", i, err, want)
		}
	}
	for i, err := range ask(signature.Rule{Lanes: 70}) {
		if err != nil {
			t.Errorf("%d: with lanes: %v", i, err)
		}
	}
	plain, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	_, err = collapse.Search(ctx, bleve.NewIndexAlias(a, plain), request, collapse.Options{Missing: collapse.KeepMissing})
	if err != nil {
		t.Errorf("beside an index without signatures: %v", err)
	}
}
