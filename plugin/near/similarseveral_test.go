package near_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// What is near in two fields, or in one of them, is found by a conjunction or a disjunction of Queries: it is what
// loops over all pairs of signatures find.
func TestSeveralFields(t *testing.T) {
	t.Parallel()
	const titles = "title_signature"
	title := plugin.FieldMapping(bands)
	title.Name = titles
	m := newMapping(t, nil)
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(bands))
	m.DefaultMapping.AddFieldMappingsAt("title", title)
	x := opened(t, "", m)
	rnd := rand.New(rand.NewPCG(71, 72))
	text := func(family int) string {
		words := make([]string, 80)
		for i := range words {
			words[i] = fmt.Sprint("f", family, "w", i)
		}
		for range rnd.IntN(3) {
			words[rnd.IntN(80)] = "other"
		}
		return strings.Join(words, " ")
	}
	type signed struct{ body, title signature.Signature }
	all, docs := map[string]signed{}, map[string]any{}
	for i := range 60 {
		body, title := text(rnd.IntN(4)), text(10+rnd.IntN(3))
		id := fmt.Sprintf("%02d", i)
		docs[id] = map[string]any{"body": body, "title": title}
		all[id] = signed{signature.Of(signature.DefaultParams(), []byte(body)), signature.Of(signature.DefaultParams(), []byte(title))}
	}
	put(t, x, docs)
	looser := signature.Rule{Lanes: 70, Mode: signature.SketchOnly}
	both, one := 0, 0
	for _, backend := range backends {
		for id, own := range all {
			of := []query.Query{
				&near.SimilarQuery{ID: id, Backend: backend},
				&near.SimilarQuery{ID: id, Field: titles, Rule: looser, Backend: backend},
			}
			if backend == near.Terms {
				of = of[:1] // for which the keys of its rule are written
				of = append(of, &near.SimilarQuery{ID: id, Field: titles, Backend: backend})
			}
			rule := of[1].(*near.SimilarQuery).Rule
			var inBoth, inOne []string
			for _, other := range slices.Sorted(maps.Keys(all)) {
				a, b := all[other], own
				byBody, byTitle := neartest.Duplicates(signature.Rule{}, &a.body, &b.body), neartest.Duplicates(rule, &a.title, &b.title)
				if other != id && byBody && byTitle {
					inBoth = append(inBoth, other)
				}
				if other != id && (byBody || byTitle) {
					inOne = append(inOne, other)
				}
			}
			both, one = both+len(inBoth), one+len(inOne)
			for name, q := range map[string]query.Query{"all": bleve.NewConjunctionQuery(of...), "any": bleve.NewDisjunctionQuery(of...)} {
				r := bleve.NewSearchRequestOptions(q, 100, 0, false)
				r.SortBy([]string{"_id"})
				res, err := x.Search(r)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, hit := range res.Hits {
					got = append(got, hit.ID)
				}
				if want := map[string][]string{"all": inBoth, "any": inOne}[name]; !slices.Equal(got, want) {
					t.Fatalf("%s of %s, %s: got %q, want %q", name, id, backend, got, want)
				}
			}
		}
	}
	if both < 50 || one < 2*both {
		t.Errorf("%d near in both fields, %d in one: this test shows little", both, one)
	}
}
