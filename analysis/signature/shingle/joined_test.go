package shingle_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
)

// joined is the naive way: the words of each window, joined and hashed again.
func joined(words []string, width int, seed uint64) (prints []uint64) {
	for i := 0; i+width <= len(words); i++ {
		digest := xxhash.NewWithSeed(seed)
		digest.WriteString(strings.Join(words[i:i+width], " "))
		prints = append(prints, digest.Sum64())
	}
	return prints
}

// Tokens come in parts; some of the earlier ones are kept.
func TestJoined(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 14))
	for _, seed := range []uint64{0, 1, 1 << 63} {
		j := shingle.NewJoined(seed)
		for range 300 {
			var words []string
			for range 1 + rnd.IntN(5) {
				keep := rnd.IntN(len(words) + 1)
				j.Keep(keep)
				words = words[len(words)-keep:]
				for range rnd.IntN(40) {
					word := strings.Repeat("é", rnd.IntN(5)) + fmt.Sprint(rnd.IntN(1000))
					if rnd.IntN(50) == 0 {
						word = strings.Repeat(word, 5000)
					}
					j.Add([]byte(word))
					words = append(words, word)
				}
				width, n := 1+rnd.IntN(shingle.MaxWidth), rnd.IntN(len(words)+1)
				kept := []uint64{1, 2}
				got, want := j.Append(kept, width, n), joined(words[len(words)-n:], width, seed)
				if !slices.Equal(got[:2], kept) || !slices.Equal(got[2:], want) {
					t.Fatalf("seed %d, width %d, the last %d of %d words: got %x, want %x", seed, width, n, len(words), got[2:], want)
				}
			}
			j.Keep(0)
		}
	}
}

func TestJoinedNoAllocations(t *testing.T) {
	for _, seed := range []uint64{0, 1} {
		j := shingle.NewJoined(seed)
		word := []byte("word")
		prints := make([]uint64, 0, 512)
		if n := testing.AllocsPerRun(10, func() {
			for range 512 {
				j.Add(word)
			}
			prints = j.Append(prints[:0], 4, 512)
			j.Keep(0)
		}); n != 0 {
			t.Errorf("seed %d: %v allocations, want none", seed, n)
		}
	}
}

// Counts are compared with a map, over fingerprints of all kinds: few and many,
// crowded and not, 0 among them.
func TestCopies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(15, 16))
	var c shingle.Counts
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

func ExampleJoined() {
	j := shingle.NewJoined(0)
	for _, word := range []string{"a", "rose", "is", "red"} {
		j.Add([]byte(word))
	}
	fmt.Println(j.Append(nil, 3, 4)[1] == xxhash.Sum64String("rose is red"))
	// Output: true
}

func ExampleCounts() {
	var c shingle.Counts
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
	var c shingle.Counts
	for b.Loop() {
		for _, f := range all {
			c.Next(f)
		}
		c.Reset()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/420, "ns/shingle")
}
