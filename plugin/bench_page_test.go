package plugin_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// BenchmarkPage is a page of 10 or 100 by the page form, and a page of 10 by the whole
// form, on an index of more than 100,000 documents, of some thousand with -short: mails, and the
// sections of manuals in several versions, of which most have copies. The queries differ in how many
// documents match; "all" is the sum over them, as for an application that is asked all
// of them as often.
//
// A page without collapse and one with it are asked for in turns, so that what else
// the machine does strikes both. The figures are the medians of each, and what to
// compare is their ratio:
//
//	go test -run '^$' -bench Page -benchtime 1000x -timeout 20m ./plugin
func BenchmarkPage(b *testing.B) {
	docs := mailsAndSections(b)
	index := build(b, filepath.Join(b.TempDir(), "x"), "neardup", benchMapping(true, true), nil, docs)
	defer index.Close()
	benchmarkPage(b, index)
}

// mailsAndSections are more than 100,000 documents, and with -short some thousand.
func mailsAndSections(b *testing.B) []neartest.Doc {
	b.Helper()
	most, least := math.MaxInt, 100_000
	if testing.Short() {
		most, least = 1000, 1000
	}
	docs := neartest.FirstDocs(b, "enron-spam/docs.jsonl.gz", most)
	docs = append(docs, neartest.Sections(neartest.FirstDocs(b, "docs-versions/docs.jsonl.gz", most/2), 800)...)
	if len(docs) < least {
		b.Fatalf("wanted %d documents or more, got %d", least, len(docs))
	}
	return docs
}

func benchmarkPage(b *testing.B, index bleve.Index) {
	for _, size := range []int{10, 100} {
		var all []func() *bleve.SearchRequest
		for _, q := range []string{"iterator", "pipeline", "gas price", "file", "subject", "absent0"} {
			request := matching(q, size)
			all = append(all, request)
			b.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(q, " ", "_"), size), func(b *testing.B) {
				compare(b, index, collapse.Options{}, request)
			})
		}
		b.Run(fmt.Sprintf("all/%d", size), func(b *testing.B) {
			compare(b, index, collapse.Options{}, all...)
		})
	}
	some := bleve.NewBooleanQuery() // which scores all alike
	some.AddMust(bleve.NewMatchAllQuery())
	some.AddFilter(matching("file", 0)().Query)
	for name, q := range map[string]query.Query{"every": bleve.NewMatchAllQuery(), "filter": some} {
		b.Run(name+"/10", func(b *testing.B) {
			compare(b, index, collapse.Options{}, func() *bleve.SearchRequest { return bleve.NewSearchRequest(q) })
		})
	}
	for _, q := range []string{"file", "subject", "subject com value class file return"} {
		b.Run(fmt.Sprintf("%s/whole", strings.ReplaceAll(q, " ", "_")), func(b *testing.B) {
			compare(b, index, collapse.Options{Whole: true}, matching(q, 10))
		})
	}
}

// matching makes requests for documents with any of the words.
func matching(words string, size int) func() *bleve.SearchRequest {
	match := bleve.NewMatchQuery(words)
	match.SetField("body")
	return func() *bleve.SearchRequest { return bleve.NewSearchRequestOptions(match, size, 0, false) }
}

// compare times requests without collapse and with it.
func compare(b *testing.B, index bleve.Index, o collapse.Options, requests ...func() *bleve.SearchRequest) {
	plain := make([][]time.Duration, len(requests))
	collapsed := make([][]time.Duration, len(requests))
	var matches uint64
	for i := 0; b.Loop(); i++ {
		matches = 0
		for n, request := range requests {
			begin := time.Now()
			r, err := index.Search(request())
			between := time.Now()
			if err != nil {
				b.Fatal(err)
			}
			_, err = collapse.Search(context.Background(), index, request(), o)
			end := time.Now()
			if err != nil {
				b.Fatal(err)
			}
			matches += r.Total
			if i >= 20 || b.N <= 20 { // the others warm up
				plain[n] = append(plain[n], between.Sub(begin))
				collapsed[n] = append(collapsed[n], end.Sub(between))
			}
		}
	}
	if len(plain[0]) == 0 {
		return
	}
	var p, c time.Duration
	for n := range requests {
		p, c = p+median(plain[n]), c+median(collapsed[n])
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(matches), "matches")
	b.ReportMetric(float64(p)/1000, "plain-µs")
	b.ReportMetric(float64(c)/1000, "collapsed-µs")
	b.ReportMetric(float64(c)/float64(p), "ratio")
	b.ReportMetric(float64(c-p)/float64(max(matches, 1)), "more-ns/match")
}

func median[T cmp.Ordered](all []T) T {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
