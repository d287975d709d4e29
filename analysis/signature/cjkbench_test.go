package signature_test

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// BenchmarkOfCJK is BenchmarkOf for random ideographs and kana, with a few English words
// and punctuation: the greatest possible number of distinct shingles, three bytes each.
func BenchmarkOfCJK(b *testing.B) {
	for _, bb := range []struct {
		name string
		size int
	}{{"3KB", 3000}, {"30KB", 30_000}} {
		b.Run(bb.name, func(b *testing.B) {
			docs := cjk(bb.size)
			b.SetBytes(int64(bb.size))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				signature.Of(signature.DefaultParams(), docs[i%len(docs)])
			}
		})
	}
}

func cjk(size int) (docs [][]byte) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		doc := make([]byte, 0, size+20)
		for len(doc) < size {
			switch k := rnd.IntN(100); {
			case k < 60:
				doc = utf8.AppendRune(doc, '一'+rnd.Int32N(3000))
			case k < 92:
				doc = utf8.AppendRune(doc, 'ぁ'+rnd.Int32N(80))
			case k < 99:
				doc = append(doc, "、"...)
			default:
				doc = append(doc, " linux "...)
			}
		}
		docs = append(docs, doc)
	}
	return docs
}
