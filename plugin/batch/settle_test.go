package batch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/batch"
)

// components are the stars of edges, by passing labels on until nothing changes.
func components(edges []batch.Edge) (stars []batch.Edge) {
	least := map[string]string{}
	for _, e := range edges {
		least[e.A], least[e.B] = e.A, e.B
	}
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			m := min(least[e.A], least[e.B])
			changed = changed || least[e.A] != m || least[e.B] != m
			least[e.A], least[e.B] = m, m
		}
	}
	for id, root := range least {
		if id != root {
			stars = append(stars, batch.Edge{A: id, B: root})
		}
	}
	return stars
}

// A path is the worst graph; it takes rounds by its logarithm, and the counter tells
// when it is done.
func TestSettle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	var path, random []batch.Edge
	for _, i := range rnd.Perm(200) {
		path = append(path, batch.Edge{A: fmt.Sprintf("n%03d", i+1), B: fmt.Sprintf("n%03d", i)})
		a, b := fmt.Sprint(rnd.IntN(300)), fmt.Sprint(rnd.IntN(300))
		if a != b {
			random = append(random, batch.Edge{A: max(a, b), B: min(a, b)})
		}
	}
	for name, edges := range map[string][]batch.Edge{"path": path, "random": random} {
		for _, rounds := range []int{1, 8} {
			p, s := beam.NewPipelineWithRoot()
			settled := batch.Settle(s, beam.CreateList(s, edges), rounds)
			if rounds > 1 {
				passert.EqualsList(s, settled, components(edges))
			}
			result, err := beam.Run(context.Background(), "direct", p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if left := unsettled(result); (left == 0) != (rounds > 1) {
				t.Errorf("%s: %d unsettled after %d rounds", name, left, rounds)
			}
		}
	}
}

func unsettled(result beam.PipelineResult) (n int64) {
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Name() == batch.Unsettled {
			n += c.Result()
		}
	}
	return n
}

// Errors name the document and say what was wanted.
func TestErrors(t *testing.T) {
	for says, docs := range map[string][]batch.Document{
		`document "a": wanted an id of its own, got it twice`: {{ID: "a", Text: "one two three"}, {ID: "a", Text: "four five six"}},
		`id: wanted a string, got an empty one`:               {{Text: "one"}},
		`documents: wanted some, got none`:                    {},
	} {
		dir := t.TempDir()
		err := batch.Run(context.Background(), batch.Job{
			Read: func(s beam.Scope) beam.PCollection { return beam.CreateList(s, docs) },
			Work: dir + "/work-", Groups: dir + "/groups", Keep: dir + "/keep", Shards: 1, Pipeline: with("direct"),
		})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

// What cannot be run is an error before the first pipeline.
func TestWrongJobs(t *testing.T) {
	for says, change := range map[string]func(*batch.Job){
		`read, pipeline: wanted functions, got nil`:                 func(j *batch.Job) { j.Pipeline = nil },
		`groups, keep: wanted two paths, got "/a" and "/a"`:         func(j *batch.Job) { j.Keep = j.Groups },
		`groups, keep: wanted two paths, got "/a" and ""`:           func(j *batch.Job) { j.Keep = "" },
		`shards, rounds: wanted 1 or more`:                          func(j *batch.Job) { j.Rounds = -1 },
		`by: wanted "leaders" or "components", got "heads"`:         func(j *batch.Job) { j.By = "heads" },
		`rule: hamming: wanted -1 to 3, got 4`:                      func(j *batch.Job) { j.Rule.Hamming = 4 },
		`params: tokens: wanted those of package token, "", got "x`: func(j *batch.Job) { j.Params.Tokens = "x" },
	} {
		j := batch.Job{
			Read: func(beam.Scope) beam.PCollection { panic("it was run") }, Groups: "/a", Keep: "/b", Pipeline: with("direct"),
			Options: batch.Options{Params: signature.DefaultParams()},
		}
		change(&j)
		if err := batch.Run(context.Background(), j); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}
