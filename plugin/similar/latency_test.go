package similar_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

var (
	latencyDocs = flag.Int("latency.docs", 0, "TestLatency: documents in the index; skipped if 0")
	latencyTime = flag.Duration("latency.time", 30*time.Second, "TestLatency: how long it asks, with writing and without")
)

// TestLatency measures lookups by id, one after the other, in an index on disk: first by
// itself, then while batches of 100 documents are written as fast as the index takes them.
//
//	go test -v -run Latency ./plugin/similar -latency.docs 100000 -timeout 2h
//
// A tenth of the documents, of 60 words, are copies of another with two words more. Each answer is
// checked: who has a copy finds it.
func TestLatency(t *testing.T) {
	if *latencyDocs == 0 {
		t.Skip("-latency.docs is 0")
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(neardup.Name))
	x, err := plugin.New(filepath.Join(t.TempDir(), "x"), m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	body := func(i int) string {
		of, more := i, ""
		if i%10 == 9 {
			of, more = i-1, "once more"
		}
		rnd := rand.New(rand.NewPCG(83, uint64(of)))
		var text strings.Builder
		for range 60 {
			fmt.Fprintf(&text, "word%d ", rnd.IntN(50_000))
		}
		return text.String() + more
	}
	next := 0
	write := func(n int) {
		batch := x.NewBatch()
		for range n {
			if err := batch.Index(fmt.Sprint(next), map[string]any{"body": body(next)}); err != nil {
				t.Error(err)
			}
			next++
		}
		if err := x.Batch(batch); err != nil {
			t.Error(err)
		}
	}
	start := time.Now()
	for next < *latencyDocs {
		write(min(1000, *latencyDocs-next))
	}
	t.Logf("%d documents were written in %.1f s", next, time.Since(start).Seconds())
	rnd := rand.New(rand.NewPCG(81, 82))
	ask := func(what string) {
		var took []time.Duration
		for end := time.Now().Add(*latencyTime); time.Now().Before(end); {
			i := rnd.IntN(*latencyDocs)
			start := time.Now()
			res, err := similar.Search(context.Background(), x, similar.Request{Query: similar.Query{ID: fmt.Sprint(i)}})
			if took = append(took, time.Since(start)); err != nil {
				t.Fatal(err)
			}
			twin := -1
			switch i % 10 {
			case 8:
				twin = i + 1
			case 9:
				twin = i - 1
			}
			if twin >= 0 && twin < *latencyDocs && !slices.ContainsFunc(res.Hits, func(h similar.Hit) bool { return h.ID == fmt.Sprint(twin) }) {
				t.Fatalf("%d: its copy %d is not among %v", i, twin, res.Hits)
			}
		}
		slices.Sort(took)
		at := func(share float64) time.Duration {
			return took[int(share*float64(len(took)-1))].Round(10 * time.Microsecond)
		}
		t.Logf("%s: %d lookups, p50 %v, p99 %v, p99.9 %v, longest %v", what, len(took), at(.5), at(.99), at(.999), at(1))
	}
	ask("first, with what memory needs still to be read")
	ask("by itself")
	done := make(chan struct{})
	var writer sync.WaitGroup
	before := next
	writer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				write(100)
			}
		}
	})
	start = time.Now()
	ask("under writing")
	close(done)
	writer.Wait()
	t.Logf("%.0f documents a second were written meanwhile", float64(next-before)/time.Since(start).Seconds())
}
