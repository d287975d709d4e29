package signature

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
)

// naive is the naive way: the words of each window, joined and hashed again.
func naive(words []string, width int, seed uint64) (prints []uint64) {
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
		j := newJoined(seed)
		for range 300 {
			var words []string
			for range 1 + rnd.IntN(5) {
				keep := rnd.IntN(len(words) + 1)
				j.keep(keep)
				words = words[len(words)-keep:]
				for range rnd.IntN(40) {
					word := strings.Repeat("é", rnd.IntN(5)) + fmt.Sprint(rnd.IntN(1000))
					if rnd.IntN(50) == 0 {
						word = strings.Repeat(word, 5000)
					}
					j.add([]byte(word))
					words = append(words, word)
				}
				width, n := 1+rnd.IntN(shingle.MaxWidth), rnd.IntN(len(words)+1)
				kept := []uint64{1, 2}
				got, want := j.append(kept, width, n), naive(words[len(words)-n:], width, seed)
				if !slices.Equal(got[:2], kept) || !slices.Equal(got[2:], want) {
					t.Fatalf("seed %d, width %d, the last %d of %d words: got %x, want %x", seed, width, n, len(words), got[2:], want)
				}
			}
			j.keep(0)
		}
	}
}

func TestJoinedNoAllocations(t *testing.T) {
	for _, seed := range []uint64{0, 1} {
		j := newJoined(seed)
		word := []byte("word")
		prints := make([]uint64, 0, 512)
		if n := testing.AllocsPerRun(10, func() {
			for range 512 {
				j.add(word)
			}
			prints = j.append(prints[:0], 4, 512)
			j.keep(0)
		}); n != 0 {
			t.Errorf("seed %d: %v allocations, want none", seed, n)
		}
	}
}

func Example() {
	j := newJoined(0)
	for _, word := range []string{"a", "rose", "is", "red"} {
		j.add([]byte(word))
	}
	fmt.Println(j.append(nil, 3, 4)[1] == xxhash.Sum64String("rose is red"))
	// Output: true
}
