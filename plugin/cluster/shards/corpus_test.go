package shards_test

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
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

var (
	dearestDocs  = flag.Int("dearest.docs", 2000, "small documents in the index that the search for dear requests asks")
	dearestTime  = flag.Duration("dearest.time", 300*time.Millisecond, "how long to search for the dearest request of each server")
	dearestIndex = flag.String("dearest.index", "", "`directory` of that index, made if it is not there, or used as it is; a temporary one if empty")
)

// corpus is an index of n small documents, or what is at path already: ten words of a
// long-tailed vocabulary, a tenth of the documents copies, a keyword that every document
// has for itself, one that many share, and a number.
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
		got, err := x.DocCount()
		if err != nil {
			tb.Fatal(err)
		}
		tb.Logf("%s has %d documents", path, got)
		tb.Cleanup(func() { x.Close() })
		return x
	}
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	for _, field := range []string{"name", "project"} {
		keyword := bleve.NewKeywordFieldMapping()
		keyword.IncludeInAll = false
		m.DefaultMapping.AddFieldMappingsAt(field, keyword)
	}
	number := bleve.NewNumericFieldMapping()
	number.IncludeInAll = false
	m.DefaultMapping.AddFieldMappingsAt("version", number)
	x, err := bleve.NewUsing(path, m, indextype.Name, indextype.Name, map[string]any{"unsafe_batch": true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { x.Close() })
	r := rand.New(rand.NewPCG(1, uint64(n)))
	tail := rand.NewZipf(r, 1.1, 20, 200_000)
	var body []byte
	batch := x.NewBatch()
	for i := range n {
		if i%10 != 9 {
			body = body[:0]
			for range 8 + r.IntN(6) {
				body = fmt.Appendf(body, "w%d ", tail.Uint64())
			}
		}
		err := batch.Index(fmt.Sprintf("d%07d", i), map[string]any{
			"body": string(body), "name": fmt.Sprintf("name %x", r.Uint32()), "project": fmt.Sprint("p", r.IntN(100)), "version": r.Float64() * 1000,
		})
		if err != nil {
			tb.Fatal(err)
		}
		if batch.Size() == 5000 || i == n-1 {
			if err := x.Batch(batch); err != nil {
				tb.Fatal(err)
			}
			batch.Reset()
		}
		if i%50_000 == 49_999 {
			tb.Logf("%d documents", i+1)
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
