package backfill_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// Ids are bytes: stopped after every batch, a backfill goes on after the last document,
// whatever its id is, and does no document twice; the status comes back from JSON.
func TestIDs(t *testing.T) {
	t.Parallel()
	odd := neartest.OddIDs(rand.New(rand.NewPCG(5, 6)), 1)
	from := plain(t, t.TempDir()+"/from", bleve.NewIndexMapping())
	docs := map[string]any{}
	order := slices.Sorted(slices.Values(odd))
	for i, id := range odd {
		docs[id] = map[string]any{"body": fmt.Sprintf("text of number %d and nothing else", i)}
	}
	fill(t, from, docs)
	fresh := signed(t, "", bodyMapping())
	fill(t, fresh, docs)
	for _, batch := range []int{1, 7, len(order)} {
		to := signed(t, "", bodyMapping())
		var asked []string
		var s backfill.Status
		var err error
		for runs := 0; !s.Complete; runs++ {
			ctx, cancel := context.WithCancel(context.Background())
			s, err = backfill.Run(ctx, from, to, backfill.Options{
				Batch:    batch,
				Progress: func(backfill.Status) { cancel() },
				Source: func(_ context.Context, id string) (any, error) {
					asked = append(asked, id)
					return docs[id], nil
				},
			})
			cancel()
			if s.Complete == (err != nil) || err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%+v, %v", s.Done, err)
			}
			if done := min((runs+1)*batch, len(order)); s.Done != uint64(done) || s.Last != order[done-1] || s.Total != uint64(len(order)) {
				t.Fatalf("run %d: %d of %d done, the last %.40q, want %d, %.40q", runs, s.Done, s.Total, s.Last, done, order[done-1])
			}
		}
		if !slices.Equal(asked, order) {
			t.Errorf("batches of %d: asked for %d documents, want each of %d once, in order", batch, len(asked), len(order))
		}
		hold(t, to, fresh)
	}
	to := signed(t, "", bodyMapping()) // from stored fields as well
	run(t, from, to, backfill.Options{Batch: 7})
	hold(t, to, fresh)
}

// What is written after the last document of a run that was stopped is seen by the next one,
// and what comes before it is not; a document that is deleted meanwhile is passed over.
func TestSourceChanges(t *testing.T) {
	t.Parallel()
	from, to := plain(t, "", bleve.NewIndexMapping()), signed(t, "", bodyMapping())
	docs := map[string]any{}
	for _, id := range []string{"b", "c", "d", "e"} {
		docs[id] = map[string]any{"body": "text of " + id}
	}
	fill(t, from, docs)
	ctx, cancel := context.WithCancel(context.Background())
	s, err := backfill.Run(ctx, from, to, backfill.Options{Batch: 2, Progress: func(backfill.Status) { cancel() }})
	if !errors.Is(err, context.Canceled) || s.Done != 2 || s.Last != "c" {
		t.Fatal(s, err)
	}
	late := map[string]any{}
	for _, id := range []string{"a", "c", "c\x00", "f"} {
		late[id] = map[string]any{"body": "late text of " + id}
	}
	fill(t, from, late)
	if err := from.Delete("d"); err != nil {
		t.Fatal(err)
	}
	if s = run(t, from, to, backfill.Options{Batch: 2}); s.Done != 5 || s.Total != 6 || s.Last != "f" {
		t.Errorf("got %+v", s)
	}
	fresh := signed(t, "", bodyMapping())
	fill(t, fresh, map[string]any{"b": docs["b"], "c": docs["c"], "c\x00": late["c\x00"], "e": docs["e"], "f": late["f"]})
	hold(t, to, fresh)
}

// A name that bleve has no room for is refused at once: bbolt would refuse it later.
func TestLongName(t *testing.T) {
	t.Parallel()
	from, to := plain(t, "", bleve.NewIndexMapping()), signed(t, t.TempDir()+"/to", bodyMapping())
	fill(t, from, map[string]any{"a": map[string]any{"body": "x"}})
	const most = 32<<10 - len("neardup/backfill/")
	if s, err := backfill.Run(context.Background(), from, to, backfill.Options{Name: strings.Repeat("n", most+1)}); err == nil || !strings.Contains(err.Error(), "name: wanted at most 32751 bytes, got 32752") {
		t.Errorf("got %+v, %v", s, err)
	}
	if s := run(t, from, to, backfill.Options{Name: strings.Repeat("n", most)}); s.Done != 1 {
		t.Errorf("got %+v", s)
	}
}
