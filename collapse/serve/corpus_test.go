package serve_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
)

var (
	dearestDocs  = flag.Int("dearest.docs", 20_000, "small documents in the index that the search for dear requests asks")
	dearestTime  = flag.Duration("dearest.time", time.Second, "how long to search for the dearest request of each server")
	dearestIndex = flag.String("dearest.index", "", "`directory` of that index, made if it is not there; a temporary one if empty")
)

// corpus is an index of n small documents: words of a long-tailed vocabulary, a tenth of
// the documents near-copies, a keyword that every document has for itself, one that few
// share, a number and a date.
func corpus(tb testing.TB, path string, n int) bleve.Index {
	tb.Helper()
	if path == "" {
		path = filepath.Join(tb.TempDir(), "index")
	}
	if _, err := os.Stat(path); err == nil {
		x, err := plugin.Open(path)
		if err != nil {
			tb.Fatal(err)
		}
		if got, err := x.DocCount(); err != nil || got != uint64(n) {
			tb.Fatalf("-dearest.index: wanted an index of %d documents, got %d, error %v", n, got, err)
		}
		tb.Cleanup(func() { x.Close() })
		return x
	}
	m := bleve.NewIndexMapping()
	plugin.Map(m.DefaultMapping, "body")
	m.DefaultMapping.AddFieldMappingsAt("name", bleve.NewKeywordFieldMapping())
	m.DefaultMapping.AddFieldMappingsAt("project", bleve.NewKeywordFieldMapping())
	x, err := plugin.New(path, m)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	r := rand.New(rand.NewPCG(1, uint64(n)))
	tail := rand.NewZipf(r, 1.1, 20, 200_000)
	begin, last := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), []byte(nil)
	batch := x.NewBatch()
	for i := range n {
		body := last
		if i%10 != 9 {
			body = nil
			for range 15 + r.IntN(10) {
				body = fmt.Appendf(body, "w%d ", tail.Uint64())
			}
			last = body
		}
		err := batch.Index(fmt.Sprintf("d%07d", i), map[string]any{
			"body": string(body), "name": fmt.Sprintf("name %x", r.Uint64()), "project": fmt.Sprint("p", r.IntN(100)),
			"version": r.Float64() * 1000, "date": begin.Add(time.Duration(r.Int64N(int64(5 * 365 * 24 * time.Hour)))),
		})
		if err != nil {
			tb.Fatal(err)
		}
		if batch.Size() == 2000 || i == n-1 {
			if err := x.Batch(batch); err != nil {
				tb.Fatal(err)
			}
			batch.Reset()
		}
	}
	return x
}

// TestCorpus makes the index alone.
func TestCorpus(t *testing.T) {
	if *dearestIndex == "" {
		t.Skip("for -dearest.index")
	}
	start := time.Now()
	corpus(t, *dearestIndex, *dearestDocs)
	t.Logf("%d documents after %v", *dearestDocs, time.Since(start))
}
