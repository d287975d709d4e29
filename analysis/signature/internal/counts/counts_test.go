package counts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/counts"
)

// Counts are compared with a map, over fingerprints of all kinds: few and many,
// crowded and not, 0 among them.
func TestCopies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(15, 16))
	var c counts.Counts
	for _, n := range []int{0, 10, 1000, 171, 40_000, 5, 12_000, 500} {
		for _, spread := range []uint64{1, 1 << 32, 1 << 60, 0x9e3779b97f4a7c15} {
			naive := map[uint64]uint64{}
			for range n {
				f := rnd.Uint64N(uint64(n)) * spread
				naive[f]++
				if got := c.Next(f); got != naive[f] {
					t.Fatalf("%d of spread %x: got copy %d, want %d", n, spread, got, naive[f])
				}
			}
			c.Reset()
		}
	}
}

func Example() {
	var c counts.Counts
	for _, f := range []uint64{7, 8, 7, 7} {
		fmt.Print(c.Next(f), " ")
	}
	// Output: 1 1 2 3
}

func BenchmarkCounts(b *testing.B) {
	all := make([]uint64, 420)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range all {
		all[i] = rnd.Uint64()
	}
	var c counts.Counts
	for b.Loop() {
		for _, f := range all {
			c.Next(f)
		}
		c.Reset()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/420, "ns/shingle")
}
