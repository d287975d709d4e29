package collapse_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// While documents come, change and go, every page is sound: no hit is shown twice,
// and each hidden one is listed under a head that is on the page, or before it.
func TestConcurrentIndexing(t *testing.T) {
	t.Parallel()
	docs := families(rand.New(rand.NewPCG(51, 52)), 200, 60)
	index := newIndex(t, docs)
	ids := slices.Sorted(maps.Keys(docs))
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		rnd := rand.New(rand.NewPCG(53, 54))
		for {
			select {
			case <-done:
				return
			default:
			}
			id := ids[rnd.IntN(len(ids))]
			if rnd.IntN(3) == 0 {
				if err := index.Delete(id); err != nil {
					t.Error(err)
				}
			} else if err := index.Index(id, docs[ids[rnd.IntN(len(ids))]].data()); err != nil {
				t.Error(err)
			}
		}
	})
	defer writer.Wait()
	defer close(done)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for i := range 60 {
		r := bleve.NewSearchRequestOptions(match, 20, i%3*10, false)
		checkSound(t, index, r, collapse.Options{Whole: i%2 == 0}, map[string]bool{})
	}
	// By cursor, and where ranks do not change, no page repeats what another has.
	for range 5 {
		r := byID(match)
		r.Size = 30
		seen, o := map[string]bool{}, collapse.Options{}
		for {
			res := checkSound(t, index, r, o, seen)
			if res.Next == nil {
				break
			}
			o.Cursor = overTheWire(t, res.Next)
		}
	}
}

// checkSound looks whether a page has each hit once, and each hidden one under a
// head; seen are the hits of the pages before.
func checkSound(t *testing.T, index bleve.Index, r *bleve.SearchRequest, o collapse.Options, seen map[string]bool) *collapse.Result {
	t.Helper()
	res, err := collapse.Search(context.Background(), index, r, o)
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for n, g := range res.Groups {
		if res.Hits[n].ID != g.Head.ID {
			t.Fatalf("group %d is of %s, hit of %s", n, g.Head.ID, res.Hits[n].ID)
		}
		if seen[g.Head.ID] {
			t.Fatalf("%s is shown, and was before", g.Head.ID)
		}
		seen[g.Head.ID] = true
	}
	for _, g := range slices.Concat(res.Earlier, res.Groups) {
		for _, m := range g.Members {
			if seen[m.ID] || m.By == 0 {
				t.Fatalf("%s is listed under %s by %s, and was seen %v", m.ID, g.Head.ID, m.By, seen[m.ID])
			}
			seen[m.ID] = true
			listed++
		}
	}
	if !o.Whole && (listed > res.Hidden || r.From == 0 && listed < res.Hidden) { // pages before list the others
		t.Fatalf("from %d: %d are hidden, %d listed", r.From, res.Hidden, listed)
	}
	return res
}
