package sketch

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The assembly counts as the Go code does, whatever the length, and wherever the sketches
// are in memory.
func TestDifferTwins(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(31, 32))
	memory := make(Sketch, 2*MaxLanes)
	for n := range MaxLanes/4 + 1 {
		for range 8 {
			a, b := memory[rnd.IntN(8):][:n], memory[MaxLanes+rnd.IntN(8):][:n]
			for i := range a {
				a[i] = rnd.Uint64()
				// Lanes that are equal, that differ only in the top bit, or that differ in
				// anything.
				b[i] = a[i] ^ rnd.Uint64()&rnd.Uint64()&0x8000_ffff_0000_8000
			}
			checkTwins(t, a, b)
		}
	}
}

func checkTwins(t *testing.T, a, b Sketch) {
	t.Helper()
	if got, want := Differ(a, b), differingGo(a, b); got != want {
		t.Fatalf("%d words: Differ is %d, in Go it is %d: %x, %x", len(a), got, want, a, b)
	}
}

func FuzzDiffer(f *testing.F) {
	f.Add(uint64(0), uint64(1)<<15, uint8(3))
	f.Add(uint64(0xffff_0000_8000_0001), ^uint64(0), uint8(25))
	f.Fuzz(func(t *testing.T, x, y uint64, n uint8) {
		a, b := make(Sketch, n), make(Sketch, n)
		for i := range a {
			a[i], b[i] = x*uint64(i+1), y*uint64(i+1)
		}
		checkTwins(t, a, b)
		checkTwins(t, a, a)
	})
}

// Assembly and Go throw elements into the same lanes, in all rounds.
func TestThrowTwins(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(33, 34))
	for _, k := range []int{MinLanes, 100, 101, MaxLanes} {
		got, want := NewBuilder(k, 7), NewBuilder(k, 7)
		for _, round := range []uint64{0, 0, 1, 2, 5, uint64(k) - 1} {
			elements := make([]uint64, rnd.IntN(500))
			for i := range elements {
				elements[i] = rnd.Uint64() >> (rnd.IntN(2) * 63) // 0 and 1 too
			}
			got.throw(elements, round)
			want.throwGo(elements, round)
			if !slices.Equal(got.lanes, want.lanes) {
				t.Fatalf("%d lanes, round %d, %d elements: got %x, want %x", k, round, len(elements), got.lanes, want.lanes)
			}
		}
	}
}
