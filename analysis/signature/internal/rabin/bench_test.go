package rabin

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

func BenchmarkSum(b *testing.B) {
	text := randomBytes(rand.New(rand.NewPCG(1, 2)), 4096)
	p := Random(64, 0)
	f := New(p)
	for _, bb := range []struct {
		name string
		sum  func([]byte) uint64
	}{
		{"tables", f.Sum},
		{"bits", func(text []byte) (sum uint64) {
			for _, c := range text {
				for i := 7; i >= 0; i-- {
					sum = p.timesX(sum) ^ uint64(c>>i&1)
				}
			}
			return sum
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				bb.sum(text)
			}
		})
	}
}

func BenchmarkWindows(b *testing.B) {
	tokens := make([]uint64, 512)
	for i := range tokens {
		tokens[i] = token.Mix(0, uint64(i))
	}
	for _, degree := range []int{40, 64} {
		b.Run(strconv.Itoa(degree), func(b *testing.B) {
			w := New(Random(degree, 0)).Windows(4)
			var prints []uint64
			b.SetBytes(8 * 512)
			for b.Loop() {
				prints = w.Append(prints[:0], tokens)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/512, "ns/token")
		})
	}
}

func BenchmarkNew(b *testing.B) {
	p := Random(64, 0)
	for b.Loop() {
		f := New(p)
		f.Windows(4)
	}
}

func BenchmarkRandom(b *testing.B) {
	for seed := uint64(0); b.Loop(); seed++ {
		Random(64, seed)
	}
}
