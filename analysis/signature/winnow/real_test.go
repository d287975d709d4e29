package winnow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// Lookups as a search has them before it verifies anything, among fingerprints that are as frequent as in mails: what more than a hundredth
// of the documents hold, and more than 500, is passed over, and the documents of the others come sorted, each once.
//
//	go test -run xxx -bench Real ./analysis/signature/winnow
func BenchmarkReal(b *testing.B) {
	values := mailPrints(b)
	for _, documents := range []int{10_000, 100_000, 1_000_000} {
		if testing.Short() && documents > 10_000 {
			break
		}
		b.Run(fmt.Sprint(documents), func(b *testing.B) {
			t := winnow.NewTable(documents, values)
			most, found, passed, i := max(500, documents/100), 0, 0, 0
			var docs []int
			for b.Loop() {
				docs = docs[:0]
				for _, v := range values(i * 7) {
					if t.Count(v) > most {
						passed++
						continue
					}
					t.Documents(v, func(doc int) bool {
						docs = append(docs, doc)
						return true
					})
				}
				slices.Sort(docs)
				found += len(slices.Compact(docs))
				i++
			}
			b.ReportMetric(float64(found)/float64(i), "documents")
			b.ReportMetric(float64(passed)/float64(i), "passed")
			b.ReportMetric(float64(t.Size())/float64(documents), "bytes/document")
		})
	}
}

// mailPrints returns a function that says which fingerprints are selected of a document, by its number: these are as
// frequent as in mails. Documents have the fingerprints of mails, cut at 400 words, with passages of 50, drawn with
// replacement. A fingerprint of one mail stays that of one document; the others keep their share of the documents.
func mailPrints(tb testing.TB) func(doc int) []uint64 {
	tb.Helper()
	var mails [][]uint64
	held := map[uint64]int{}
	p := signature.DefaultParams()
	p.Passages = 50
	maker, err := signature.NewMaker(p)
	if err != nil {
		tb.Fatal(err)
	}
	for _, d := range neartest.Docs(tb, "enron-spam/docs.jsonl.gz") {
		words := strings.Fields(d.Text)
		if len(words) < 50 {
			continue
		}
		maker.Reset()
		maker.Text([]byte(strings.Join(words[:min(len(words), 400)], " ")))
		maker.EndValue()
		own := slices.Clone(maker.Passages().Values)
		mails = append(mails, own)
		for _, v := range own {
			held[v]++
		}
	}
	return func(doc int) []uint64 {
		rnd := rand.New(rand.NewPCG(uint64(doc), 71))
		own := slices.Clone(mails[rnd.IntN(len(mails))])
		for i, v := range own {
			if held[v] == 1 {
				own[i] = winnow.Print(rnd.Uint64())
			}
		}
		slices.Sort(own)
		return slices.Compact(own)
	}
}
