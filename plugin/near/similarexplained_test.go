package near_test

import (
	"math"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// An explanation adds up to the score: it is the resemblance by itself, and has a weight where
// the query is one of several.
func TestExplanation(t *testing.T) {
	t.Parallel()
	m := newMapping(t, nil)
	title := bleve.NewTextFieldMapping()
	title.Analyzer = standard.Name
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(bands))
	m.DefaultMapping.AddFieldMappingsAt("title", title)
	x := opened(t, "", m)
	put(t, x, map[string]any{
		"same":  map[string]any{"body": words(0, 300), "title": "one"},
		"near":  map[string]any{"body": words(3, 300), "title": "two"},
		"other": map[string]any{"body": words(5000, 300), "title": "three"},
	})
	boosted := &near.SimilarQuery{Text: []string{words(0, 300)}}
	boosted.SetBoost(3)
	one := bleve.NewMatchQuery("one")
	one.SetField("title")
	for name, r := range map[string]*bleve.SearchRequest{
		"alone":          bleve.NewSearchRequest(&near.SimilarQuery{Text: []string{words(0, 300)}}),
		"alone, boosted": bleve.NewSearchRequest(boosted),
		"one of two":     bleve.NewSearchRequest(bleve.NewDisjunctionQuery(boosted, one)),
	} {
		r.Explain = true
		res, err := x.Search(r)
		if err != nil || len(res.Hits) != 2 {
			t.Fatalf("%s: got %v, %v", name, res, err)
		}
		for _, hit := range res.Hits {
			if math.Abs(hit.Expl.Value-hit.Score) > 1e-9 {
				t.Errorf("%s: %s: the explanation has %v, the score is %v", name, hit.ID, hit.Expl.Value, hit.Score)
			}
			alone := strings.HasPrefix(hit.Expl.Message, "neardup: resemblance, ")
			if want := name != "one of two"; alone != want {
				t.Errorf("%s: %s: got %v", name, hit.ID, hit.Expl)
			}
			if n := weights(t, hit.Expl); alone && n != 0 || !alone && n == 0 {
				t.Errorf("%s: %s: %d weights in %v", name, hit.ID, n, hit.Expl)
			}
		}
	}
}

// weights counts the products of a weight and a resemblance in an explanation, and checks them.
func weights(t *testing.T, e *search.Explanation) (n int) {
	t.Helper()
	for _, child := range e.Children {
		n += weights(t, child)
	}
	if e.Message != "weight, product of:" || !strings.HasPrefix(e.Children[len(e.Children)-1].Message, "neardup: ") {
		return n
	}
	weight, value := e.Children[0], e.Children[1].Value
	if math.Abs(e.Value-weight.Value*value) > 1e-9 || math.Abs(weight.Value-weight.Children[0].Value*weight.Children[1].Value) > 1e-9 {
		t.Errorf("it does not add up: %v", e)
	}
	return n + 1
}

// A plan is checked by the field's rule, where the query leaves the rule open.
func TestPlanOfFieldRule(t *testing.T) {
	t.Parallel()
	for hamming, want := range map[int]string{3: "", 8: "plan: tables: cannot be chosen for a rule of hamming above 3, got 8"} {
		m := bleve.NewIndexMapping()
		if err := m.AddCustomAnalyzer("own", map[string]any{"type": neardup.Name, "rule": map[string]any{"hamming": hamming}}); err != nil {
			t.Fatal(err)
		}
		m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("own"))
		x := opened(t, "", m)
		put(t, x, map[string]any{"a": map[string]any{"body": words(0, 300)}})
		q := &near.SimilarQuery{Text: []string{words(0, 300)}}
		q.Plan.Tables = 4
		res, err := x.Search(bleve.NewSearchRequest(q))
		if want == "" && (err != nil || res.Total != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("hamming %d: got %v, %v", hamming, res, err)
		}
	}
}
