package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
)

// BenchmarkWholeAlias compares the whole form on an alias of 4 local members with the whole form on
// one index that has all documents: time in ns, the least of a few searches each, in turn.
func BenchmarkWholeAlias(b *testing.B) {
	const n = 24_000
	all := families(rand.New(rand.NewPCG(61, 62)), n, 100)
	parts := make([]map[string]page, 4)
	for id, p := range all {
		i := hash(id) % 4
		if parts[i] == nil {
			parts[i] = map[string]page{}
		}
		parts[i][id] = p
	}
	one, alias := newIndex(b, all), bleve.NewIndexAlias()
	for i, docs := range parts {
		x := newIndex(b, docs)
		x.SetName(fmt.Sprint("part", i))
		alias.Add(x)
	}
	for _, words := range []string{"common", "common w7 w8", "w7"} {
		match := bleve.NewMatchQuery(words)
		match.SetField("body")
		b.Run(words, func(b *testing.B) {
			least := map[bleve.Index]time.Duration{}
			for range 20 { // until the families are known
				wholeTime(b, one, match, least)
				wholeTime(b, alias, match, least)
			}
			clear(least)
			for b.Loop() {
				wholeTime(b, one, match, least)
				wholeTime(b, alias, match, least)
			}
			b.ReportMetric(float64(least[one]), "ns/one")
			b.ReportMetric(float64(least[alias]), "ns/alias")
			b.ReportMetric(float64(least[alias])/float64(least[one]), "alias/one")
		})
	}
}

// wholeTime takes the time of a search, and keeps the least of each index.
func wholeTime(b *testing.B, x bleve.Index, q query.Query, least map[bleve.Index]time.Duration) {
	begin := time.Now()
	if _, err := collapse.Search(b.Context(), x, bleve.NewSearchRequest(q), collapse.Options{Whole: true}); err != nil {
		b.Fatal(err)
	}
	if took := time.Since(begin); least[x] == 0 || took < least[x] {
		least[x] = took
	}
}
