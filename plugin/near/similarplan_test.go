package near_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Plans that miss nothing find what plain comparison does; of pairs that just meet
// the rule, bands of more lanes find as many as is said, and Search says "gte".
func TestPlan(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(71, 72))
	all, docs := map[string]*signature.Signature{}, map[string]any{}
	const pairs = 400
	for i := range pairs {
		s := random(rnd)
		all[fmt.Sprint(i)], all[fmt.Sprint("near ", i)] = s, apart(rnd, s, rnd.Perm(100)[:10], nil)
		all[fmt.Sprint("simhash ", i)] = random(rnd)
		all[fmt.Sprint("simhash ", i)].Simhash = s.Simhash ^ 1<<rnd.IntN(64) ^ 1<<rnd.IntN(64) ^ 1<<rnd.IntN(64)
	}
	for id, s := range all {
		docs[id] = forgedDoc(t, s)
	}
	x := forged(t, forging, "")
	put(t, x, docs)
	rule := signature.Rule{}
	for _, p := range []table.Plan{{Tables: 4}, {Bands: 11, Rows: 9, Tables: 10}, {Bands: 20, Rows: 5, Tables: 16}, {Tables: 20}} {
		for i := range 40 {
			s := all[fmt.Sprint(i)]
			if got, want := nearIDs(t, x, &near.SimilarQuery{Signature: s, Plan: p}), oracle(rule, all, s); !slices.Equal(got, want) {
				t.Fatalf("%+v: near %d are %q, want %q", p, i, got, want)
			}
		}
	}
	lanes := signature.Rule{Mode: signature.SketchOnly}
	p, found := table.Plan{Bands: 5, Rows: 20}, 0
	for i := range pairs {
		q := near.SimilarQuery{Signature: all[fmt.Sprint(i)], ID: fmt.Sprint(i), Plan: p, Rule: lanes}
		res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q})
		if err != nil {
			t.Fatal(err)
		}
		if found += len(res.Hits); res.TotalRelation != bleve.TotalRelationGte {
			t.Fatalf("%+v: total is %q, want %q", p, res.TotalRelation, bleve.TotalRelationGte)
		}
	}
	const want = .4325 // that 10 lanes of 100 leave one of 5 bands of 20 whole
	if got := float64(found) / pairs; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/pairs) {
		t.Errorf("%+v: recall %.3f, want %.3f", p, got, want)
	}
}
