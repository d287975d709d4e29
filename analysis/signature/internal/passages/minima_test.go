package passages

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naive has the least of each window, in plain loops.
func naive(prints []uint64, window int) (all []uint64) {
	for i := 0; i+window <= len(prints); i++ {
		all = append(all, slices.Min(prints[i:i+window]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// checkTwins compares what vector instructions select of values, and what a Selector selects of them, with plain loops. Each value is given in
// pieces.
func checkTwins(t *testing.T, window, piece int, values ...[]uint64) {
	t.Helper()
	var want []uint64
	for _, prints := range values {
		want = append(want, naive(prints, window)...)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	vector, scalar := New(window, 1), New(window, 1)
	scalar.minima = nil
	for _, p := range []*Passages{vector, scalar} {
		for range 2 {
			p.Reset()
			for _, prints := range values {
				for part := range slices.Chunk(prints, piece) {
					p.Add(part)
				}
				p.EndValue()
			}
			got := slices.Compact(slices.Sorted(slices.Values(p.Selected())))
			if !slices.Equal(got, want) {
				t.Fatalf("window %d, pieces of %d, scalar %v: got %x, want %x, of %x", window, piece, p == scalar, got, want, values)
			}
		}
	}
}

// texts are fingerprints of all kinds, of both halves of what 64 bits are, and at their ends.
func texts(rnd *rand.Rand, n int) (all [][]uint64) {
	period, step := 1+rnd.IntN(60), rnd.Uint64()|1
	for _, f := range []func(i int) uint64{
		func(int) uint64 { return rnd.Uint64() },
		func(int) uint64 { return rnd.Uint64() >> rnd.IntN(64) },
		func(int) uint64 { return -rnd.Uint64N(3) },
		func(int) uint64 { return 1<<63 - 2 + rnd.Uint64N(4) },
		func(int) uint64 { return 7 },
		func(int) uint64 { return 1<<64 - 1 },
		func(i int) uint64 { return uint64(i) },
		func(i int) uint64 { return uint64(n - i) },
		func(i int) uint64 { return 1<<63 + uint64(n/2-i) },
		func(i int) uint64 { return uint64(i%period) * step },
		func(i int) uint64 { return uint64(i/period) * step },
		func(i int) uint64 { return 1<<40 + uint64(i%period)<<32 + rnd.Uint64N(2) },
	} {
		prints := make([]uint64, n)
		for i := range prints {
			prints[i] = f(i)
		}
		all = append(all, prints)
	}
	return all
}

func TestTwins(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for window := 1; window <= 260; window++ {
		for range rounds {
			n := rnd.IntN(3 * window)
			if rnd.IntN(4) == 0 {
				n = rnd.IntN(1600)
			}
			for _, prints := range texts(rnd, n) {
				piece := 1 + rnd.IntN(rnd.IntN(1400)+1)
				checkTwins(t, window, piece, prints)
			}
			checkTwins(t, window, 1+rnd.IntN(100), texts(rnd, rnd.IntN(100))...)
		}
	}
}

// All lengths around that of a window, and around that of what vector instructions take at once, and a piece.
func TestLengths(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, window := range []int{1, 2, 3, 4, 5, 15, 16, 17, 46, 47, 48, 63, 64, 65, 255, 256, 257} {
		for near := range 12 {
			for _, length := range []int{near, window + near - 6, 512 + near - 6, 512 + window + near - 6, 1024 + near - 6} {
				for _, prints := range texts(rnd, max(0, length))[:4] {
					checkTwins(t, window, 512, prints)
				}
			}
		}
	}
}

func FuzzTwins(f *testing.F) {
	f.Add([]byte("to be or not to be, that is the question"), byte(4), byte(3), uint64(1)<<56)
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaaa"), byte(7), byte(1), uint64(1))
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"), byte(5), byte(100), uint64(0x9e3779b97f4a7c15))
	f.Fuzz(func(t *testing.T, data []byte, window, piece byte, by uint64) {
		prints := make([]uint64, len(data))
		for i, b := range data {
			prints[i] = uint64(b) * by
		}
		checkTwins(t, 1+int(window), 1+int(piece), prints, prints[len(prints)/2:])
	})
}

func BenchmarkAdd(b *testing.B) {
	rnd := rand.New(rand.NewPCG(11, 12))
	var texts [][]uint64
	for range 200 { // so many that the processor does not learn them
		prints := make([]uint64, 480)
		for i := range prints {
			prints[i] = rnd.Uint64()
		}
		texts = append(texts, prints)
	}
	for _, form := range []string{"vector", "scalar"} {
		b.Run(form, func(b *testing.B) {
			p := New(50, 4)
			if form == "scalar" {
				p.minima = nil
			}
			b.SetBytes(8 * 480)
			i := 0
			for b.Loop() {
				p.Add(texts[i%len(texts)])
				p.Reset()
				i++
			}
		})
	}
}
