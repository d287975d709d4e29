package planes

import (
	"math/rand/v2"
	"testing"
)

// checkTwins compares what assembly counts with what Go counts, in parts of any size.
func checkTwins(t *testing.T, numbers []uint64, part int) {
	t.Helper()
	var got, want Counters
	n := 0
	for rest := numbers; len(rest) > 0; rest = rest[min(part, len(rest)):] {
		n += min(part, len(rest))
		got.Add(rest[:min(part, len(rest))], uint64(n))
	}
	want.top = got.top
	want.addGo(numbers)
	got.narrow()
	if got.planes != want.planes {
		t.Fatalf("%d numbers, %d at a time: got %x, in Go %x", len(numbers), part, got.planes, want.planes)
	}
}

func TestTwins(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(41, 42))
	for range 300 {
		numbers := make([]uint64, rnd.IntN(5000))
		for i := range numbers {
			numbers[i] = rnd.Uint64() | -(rnd.Uint64() & 1) // all bits, to fill the counters too
		}
		checkTwins(t, numbers, 1+rnd.IntN(1500))
	}
}

func FuzzTwins(f *testing.F) {
	f.Add(^uint64(0), uint64(0), uint16(2500), uint16(40))
	f.Add(uint64(1)<<63, uint64(5), uint16(1000), uint16(513))
	f.Fuzz(func(t *testing.T, x, step uint64, n, part uint16) {
		numbers := make([]uint64, n)
		for i := range numbers {
			numbers[i] = x + uint64(i)*step
		}
		checkTwins(t, numbers, int(part)+1)
	})
}
