package winnow_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Lookups as a search has them before it verifies anything, among fingerprints that are as frequent as in mails: what more than a hundredth
// of the documents hold, and more than 500, is passed over, and the documents of the others come sorted, each once.
//
//	go test -run xxx -bench Real ./analysis/signature/winnow
func BenchmarkReal(b *testing.B) {
	values := signaturetest.Selected(b)
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
