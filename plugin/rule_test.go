package plugin_test

import (
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
	"github.com/neardup/bleve-neardup/internal/neartest"
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

// heads returns for each text the number of the first head within the rule, in the order of the texts.
func heads(rule signature.Rule, sigs []signature.Signature) []int {
	of := make([]int, len(sigs))
	for i := range sigs {
		of[i] = i
		for j := range i {
			if of[j] == j && neartest.Duplicates(rule, &sigs[j], &sigs[i]) {
				of[i] = j
				break
			}
		}
	}
	return of
}

// Whatever compares documents takes the field's rule in place of what its caller leaves at zero.
func TestFieldRule(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	texts := versions(60)
	name := func(i int) string { return fmt.Sprintf("%03d", i) }
	seen := map[string]string{} // rules by result, to see that the test can fail
	for _, tt := range []struct {
		field       string
		asked, want signature.Rule
	}{
		{"", signature.Rule{}, signature.Rule{}},
		{`{"lanes": 60}`, signature.Rule{}, signature.Rule{Lanes: 60}},
		{`{"lanes": 60}`, signature.Rule{Lanes: 75}, signature.Rule{Lanes: 75}},
		{`{"lanes": 60, "min_words": 50}`, signature.Rule{Hamming: -1}, signature.Rule{Lanes: 60, Hamming: -1, MinWords: 50}},
		{`{"lanes": 60, "hamming": 12, "mode": "both", "min_words": 50}`, signature.Rule{}.Explicit(100), signature.Rule{}},
	} {
		x := ruled(t, tt.field)
		batch := x.NewBatch()
		sigs := make([]signature.Signature, len(texts))
		for i, text := range texts {
			sigs[i] = signature.Of(signature.DefaultParams(), []byte(text))
			if err := batch.Index(name(i), map[string]any{"body": text}); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
		of := heads(tt.want, sigs)
		want := fmt.Sprint(of)
		what := fmt.Sprintf("field %s, asked %+v", tt.field, tt.asked)
		if before, ok := seen[want]; ok && tt.want != (signature.Rule{}) {
			t.Errorf("%s: the same groups as %s", what, before)
		}
		seen[want] = what

		check := func(by string, result *collapse.Result, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %s: %v", what, by, err)
			}
			got := make([]int, len(texts))
			at := func(id string) (n int) { fmt.Sscan(strings.TrimLeft(id[:2], "0")+id[2:], &n); return n }
			for _, g := range result.Groups {
				got[at(g.Head.ID)] = at(g.Head.ID)
				for _, m := range g.Members {
					got[at(m.ID)] = at(g.Head.ID)
				}
			}
			if fmt.Sprint(got) != want {
				t.Errorf("%s: %s: got %v, want %v", what, by, got, of)
			}
		}
		request := bleve.NewSearchRequestOptions(query.NewMatchAllQuery(), len(texts), 0, false)
		request.SortBy([]string{"_id"})
		page, err := collapse.Search(ctx, x, request, collapse.Options{Rule: tt.asked})
		check("page", page, err)
		alias := bleve.NewIndexAlias(x, ruled(t, tt.field))
		page, err = collapse.Search(ctx, alias, request, collapse.Options{Rule: tt.asked})
		check("alias", page, err)
		whole, err := collapse.Search(ctx, x, request, collapse.Options{Rule: tt.asked, Whole: true})
		check("whole", whole, err)

		first := slices.Compact(slices.Sorted(slices.Values(of)))
		request.Query = collapse.NewQuery(query.NewMatchAllQuery(), collapse.Options{Rule: tt.asked})
		found, err := x.Search(request)
		if err != nil || int(found.Total) != len(first) {
			t.Errorf("%s: a Query: got %v, %v, want %d", what, found, err, len(first))
		}

		listed := make([]int, len(texts))
		for i := range listed {
			listed[i] = i
		}
		for g, err := range near.Groups(ctx, x, near.GroupsOptions{Rule: tt.asked, Order: []string{"_id"}}) {
			if err != nil {
				t.Fatal(err)
			}
			var head int
			fmt.Sscanf(g.Head.ID, "%03d", &head)
			for _, m := range g.Members {
				var member int
				fmt.Sscanf(m.ID, "%03d", &member)
				listed[member] = head
			}
		}
		if fmt.Sprint(listed) != want {
			t.Errorf("%s: groups: got %v, want %v", what, listed, of)
		}

		for i := range 10 {
			var alike []string
			for j := range sigs {
				if j != i && neartest.Duplicates(tt.want, &sigs[i], &sigs[j]) {
					alike = append(alike, name(j))
				}
			}
			for _, index := range []bleve.Index{x, alias} {
				r, err := near.Similar(ctx, index, near.SimilarRequest{Query: near.SimilarQuery{ID: name(i), Rule: tt.asked}, Size: 100})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, h := range r.Hits {
					if got = append(got, h.ID); h.By == 0 {
						t.Errorf("%s: %s is found by no test", what, h.ID)
					}
				}
				slices.Sort(got)
				if !slices.Equal(got, alike) {
					t.Errorf("%s: similar to %d: got %v, want %v", what, i, got, alike)
				}
			}
			best, err := near.Nearest(ctx, x, []near.SimilarQuery{{ID: name(i), Signature: &sigs[i], Rule: tt.asked}})
			if err != nil || (best[0] != nil) != (len(alike) > 0) {
				t.Errorf("%s: nearest to %d: got %+v, %v, want one of %v", what, i, best, err, alike)
			}
		}

		gated := ruled(t, tt.field)
		if err := plugin.SetPolicy(ctx, gated, &admission.Policy{Rule: tt.asked, Near: admission.Reject}); err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if err := gated.Index(name(i), map[string]any{"body": text}); err != nil && of[i] == i {
				t.Errorf("%s: document %d: %v", what, i, err)
			}
		}
		if n, err := gated.DocCount(); err != nil || int(n) != len(first) {
			t.Errorf("%s: a policy lets %d in, %v, want %d", what, n, err, len(first))
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
