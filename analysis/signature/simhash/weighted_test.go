package simhash_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// A weight is the same as that many copies.
func TestAddWeighted(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(37, 38))
	for range 300 {
		var c simhash.Counter
		var copies []uint64
		top := 1 + rnd.IntN(40)
		for _, f := range random(rnd, rnd.IntN(60)) {
			weight := rnd.IntN(top)
			c.AddWeighted(f, uint32(weight))
			for range weight {
				copies = append(copies, f)
			}
			if rnd.IntN(4) == 0 { // mixed with features of weight 1
				plain := random(rnd, rnd.IntN(40))
				c.Add(plain)
				copies = append(copies, plain...)
			}
		}
		if got, want := c.Sum(), neartest.Simhash(copies); got != want {
			t.Fatalf("%d votes: got %x, want %x", len(copies), got, want)
		}
		c.Reset()
		if c.Sum() != 0 {
			t.Fatal("Reset left votes")
		}
	}
}

func TestAddWeightedLarge(t *testing.T) {
	t.Parallel()
	const most = math.MaxUint32
	var c simhash.Counter
	for range 1000 {
		c.AddWeighted(0b1100, most)
		c.AddWeighted(0b1010, most)
	}
	if got := c.Sum(); got != 0b1000 {
		t.Errorf("a tie of great weights: got %b, want 1000", got)
	}
	c.AddWeighted(0b0010, 1)
	if got := c.Sum(); got != 0b1010 {
		t.Errorf("one vote more: got %b, want 1010", got)
	}
}

// The naive way with weights: 64 counters that go up and down by the weight.
func TestAddWeightedNaive(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(39, 40))
	for range 200 {
		var c simhash.Counter
		var counters [64]int64
		for _, f := range random(rnd, rnd.IntN(200)) {
			weight := rnd.Uint32() >> rnd.IntN(32)
			c.AddWeighted(f, weight)
			for bit := range counters {
				if f>>bit&1 == 1 {
					counters[bit] += int64(weight)
				} else {
					counters[bit] -= int64(weight)
				}
			}
		}
		var want uint64
		for bit, n := range counters {
			if n > 0 {
				want |= 1 << bit
			}
		}
		if got := c.Sum(); got != want {
			t.Fatalf("got %x, want %x", got, want)
		}
	}
}

// Words that are rare in a corpus decide the simhash, with weights by a function of the
// caller: here the rounded logarithm of how rare a word is.
func ExampleCounter_AddWeighted() {
	documents := map[string]float64{"the": 1000, "of": 990, "rose": 3} // number of 1,000 documents that have the word
	weight := func(word string) uint32 {
		return uint32(math.Round(math.Log2(1000 / documents[word])))
	}
	key := token.NewKey(0)
	var c simhash.Counter
	for _, word := range []string{"the", "rose", "of", "the"} {
		c.AddWeighted(key.Hash([]byte(word)), weight(word))
	}
	fmt.Println(weight("the"), weight("rose"), c.Sum() == key.Hash([]byte("rose")))
	// Output: 0 8 true
}

func BenchmarkAddWeighted(b *testing.B) {
	features := random(rand.New(rand.NewPCG(1, 2)), 420)
	for b.Loop() {
		var c simhash.Counter
		for i, f := range features {
			c.AddWeighted(f, uint32(i%16))
		}
		c.Sum()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/420, "ns/feature")
}
