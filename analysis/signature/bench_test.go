package signature_test

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// english returns documents of about size bytes, cut at spaces from the shipped corpus.
// There are enough of them that branch prediction does not learn the text.
func english(b *testing.B, size int) (docs [][]byte) {
	if _, err := os.Stat("../../examples/docsearch/corpus/corpus.jsonl.gz"); err != nil {
		b.Skip(err) // a benchmark can run without the corpus, unlike a test
	}
	var all strings.Builder
	for _, d := range neartest.Shipped(b) {
		all.WriteString(d.Text)
		all.WriteString("\n\n")
	}
	text := all.String()
	for len(text) < 4*size { // a small corpus is repeated
		text += text
	}
	for len(text) > size && len(docs) < 300 {
		end := size + strings.IndexAny(text[size:]+" ", " \n")
		docs = append(docs, []byte(text[:end]))
		text = text[end:]
	}
	return docs
}

var sizes = []struct {
	name string
	size int
}{{"3KB", 3000}, {"30KB", 30_000}}

func BenchmarkOf(b *testing.B) {
	for _, bb := range sizes {
		b.Run(bb.name, func(b *testing.B) {
			docs := english(b, bb.size)
			b.SetBytes(int64(bb.size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				signature.Of(signature.DefaultParams(), docs[i%len(docs)])
			}
		})
	}
}

// BenchmarkXXHash64 reads the documents of BenchmarkOf once and does nothing else: it is
// the yardstick for the time of Of.
func BenchmarkXXHash64(b *testing.B) {
	for _, bb := range sizes {
		b.Run(bb.name, func(b *testing.B) {
			docs := english(b, bb.size)
			b.SetBytes(int64(bb.size))
			for i := 0; b.Loop(); i++ {
				xxhash.Sum64(docs[i%len(docs)])
			}
		})
	}
}

// pairs returns a signature and others to compare it with: unrelated ones, or ones at the
// threshold.
func pairs(similar bool) (base *signature.Signature, others []*signature.Signature) {
	rnd := rand.New(rand.NewPCG(1, 2))
	rule := signature.Rule{}
	base = arbitrary(rnd, 100)
	for range 512 {
		other := arbitrary(rnd, 100)
		if similar {
			other = near(rnd, rule, base)
			other.Simhash = ^base.Simhash // so that the lanes decide
		}
		others = append(others, other)
	}
	return base, others
}

func benchmarkPairs(b *testing.B, compare func(rule signature.Rule, a, b *signature.Signature)) {
	for _, bb := range []struct {
		name    string
		similar bool
	}{{"random", false}, {"similar", true}} {
		b.Run(bb.name, func(b *testing.B) {
			base, others := pairs(bb.similar)
			rule := signature.Rule{}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				compare(rule, base, others[i%len(others)])
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	benchmarkPairs(b, func(rule signature.Rule, a, b *signature.Signature) { rule.Match(a, b) })
}

func BenchmarkDuplicates(b *testing.B) {
	benchmarkPairs(b, func(rule signature.Rule, a, b *signature.Signature) { rule.Duplicates(a, b) })
}
