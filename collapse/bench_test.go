package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// BenchmarkHits collapses n hits that are all unrelated, and n that are one family.
// The figure to look at is ns/hit, which must not grow with n.
func BenchmarkHits(b *testing.B) {
	rnd := rand.New(rand.NewPCG(7, 8))
	words := func(n int) string {
		w := make([]string, n)
		for i := range w {
			w[i] = fmt.Sprint("w", rnd.IntN(5000))
		}
		return strings.Join(w, " ")
	}
	licence := words(400)
	for _, kind := range []struct {
		name string
		text func(i int) string
	}{
		{"unrelated", func(int) string { return words(100) }},
		{"family", func(i int) string { return fmt.Sprintf("%s copyright %d %s", licence, i, licence) }},
	} {
		for _, n := range []int{100, 1000, 10_000} {
			hits := make(search.DocumentMatchCollection, n)
			for i := range hits {
				sig := signature.Of(signature.DefaultParams(), []byte(kind.text(i)))
				stored, err := sig.MarshalText()
				if err != nil {
					b.Fatal(err)
				}
				hits[i] = &search.DocumentMatch{
					ID:     fmt.Sprint(i),
					Fields: map[string]any{signature.SketchField(signature.DefaultField): string(stored)},
				}
			}
			b.Run(fmt.Sprintf("%s/n=%d", kind.name, n), func(b *testing.B) {
				for b.Loop() {
					res, err := collapse.Hits(hits, collapse.Options{})
					if err != nil || (len(res.Hits) == 1) != (kind.name == "family") {
						b.Fatal(res, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/hit")
			})
		}
	}
}
