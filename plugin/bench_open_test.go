package plugin_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

var openDocs = flag.Int("open.docs", 2000, "documents of 400 words in the index that BenchmarkOpen opens")

// BenchmarkOpen opens an index on disk and folds the hits of a first page, then looks up a first
// text, which needs the signatures of all documents, and then folds all documents. The figures
// are processor time:
//
//	go test -run '^$' -bench Open -benchtime 3x ./plugin -open.docs 100000
func BenchmarkOpen(b *testing.B) {
	var words []string
	for _, d := range neartest.Shipped(b) {
		words = append(words, strings.Fields(d.Text)...)
	}
	dir := filepath.Join(b.TempDir(), "index")
	index, err := plugin.New(dir, benchMapping(true, true))
	if err != nil {
		b.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(21, 22))
	batch := index.NewBatch()
	for i := range *openDocs {
		begin := rnd.IntN(len(words) - 400)
		if err := batch.Index(fmt.Sprint(i), map[string]any{"body": strings.Join(words[begin:begin+400], " ")}); err != nil {
			b.Fatal(err)
		}
		if batch.Size() == 1000 || i == *openDocs-1 {
			if err := index.Batch(batch); err != nil {
				b.Fatal(err)
			}
			batch.Reset()
		}
	}
	if err := index.Close(); err != nil {
		b.Fatal(err)
	}
	var size int64
	err = filepath.WalkDir(dir, func(_ string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		info, err := f.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	text := []string{strings.Join(words[:400], " ")}
	ask := func(x bleve.Index, o *collapse.Options, q query.Query) {
		var err error
		if o == nil {
			_, err = x.Search(bleve.NewSearchRequest(q))
		} else {
			_, err = collapse.Search(context.Background(), x, bleve.NewSearchRequest(q), *o)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	var used [3]time.Duration
	for b.Loop() {
		times := []time.Duration{neartest.CPU()}
		x, err := plugin.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		ask(x, &collapse.Options{}, bleve.NewMatchAllQuery())
		times = append(times, neartest.CPU())
		ask(x, nil, &near.SimilarQuery{Text: text})
		times = append(times, neartest.CPU())
		ask(x, &collapse.Options{Whole: true}, bleve.NewMatchAllQuery())
		times = append(times, neartest.CPU())
		for i := range used {
			used[i] += times[i+1] - times[i]
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
	for i, what := range []string{"page", "lookup", "whole"} {
		b.ReportMetric(float64(used[i].Microseconds())/1e3/float64(b.N), what+"-cpu-ms/op")
	}
	b.ReportMetric(float64(size)/float64(*openDocs), "disk-B/doc")
}
