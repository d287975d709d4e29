package simhash_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

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

// The naive way with weights: 64 counters that go up and down by the weight. Features without one have the weight 1.
func TestAddWeighted(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(39, 40))
	for range 200 {
		var c simhash.Counter
		var counters [64]int64
		for i, f := range random(rnd, rnd.IntN(200)) {
			weight := rnd.Uint32() >> rnd.IntN(32)
			if i%4 == 0 {
				weight = 1
				c.Add([]uint64{f})
			} else {
				c.AddWeighted(f, weight)
			}
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
