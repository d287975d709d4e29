package sketch_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// equalBands returns the bands of n whose keys still agree after the lanes with these
// numbers were changed.
func equalBands(rnd *rand.Rand, k, n int, changed []int) (equal []int) {
	a := full(rnd, k)
	b := slices.Clone(a)
	for _, lane := range changed {
		b[lane/8] ^= uint64(1) << rnd.IntN(8) << (lane % 8 * 8)
	}
	for i := range n {
		if a.Band(k, n, i) == b.Band(k, n, i) {
			equal = append(equal, i)
		}
	}
	return equal
}

// oneInEach picks one of total places in each of n parts except the one left out.
func oneInEach(rnd *rand.Rand, total, n, out int) (places []int) {
	for i := range n {
		if begin, end := sketch.Bounds(total, n, i); i != out {
			places = append(places, begin+rnd.IntN(end-begin))
		}
	}
	return places
}

// The worst placement puts one difference in each band except one: that band, and no other,
// has the same key. Any other placement leaves more bands unchanged.
func TestSketchPigeonhole(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(41, 42))
	for _, tt := range []struct{ lanes, need int }{
		{100, 90}, {100, 95}, {100, 80}, {100, 100}, {100, 50}, {16, 15}, {101, 91}, {127, 115}, {200, 180}, {1024, 922},
	} {
		differ := tt.lanes - tt.need
		n := differ + 1
		for out := range n {
			for range max(1, 500/n) {
				if got := equalBands(rnd, tt.lanes, n, oneInEach(rnd, tt.lanes, n, out)); !slices.Equal(got, []int{out}) {
					t.Fatalf("%d of %d, a difference in each of %d bands but %d: keys %v agree", tt.need, tt.lanes, n, out, got)
				}
			}
		}
		for range max(200, 3000/n) {
			changed := rnd.Perm(tt.lanes)[:differ]
			if len(equalBands(rnd, tt.lanes, n, changed)) == 0 {
				t.Fatalf("%d of %d: lanes %v differ, and no key of %d agrees", tt.need, tt.lanes, changed, n)
			}
		}
	}
}

// The same for bits: every way to place exactly 3 differences in 4 blocks, and more bits
// with more blocks.
func TestSimhashPigeonhole(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(43, 44))
	agree := func(a, b uint64, n int) (equal []int) {
		for i := range n {
			if simhash.Block(a, n, i) == simhash.Block(b, n, i) {
				equal = append(equal, i)
			}
		}
		return equal
	}
	h := rnd.Uint64()
	for i := range 64 {
		for j := range i {
			for l := range j {
				flip := uint64(1)<<i | 1<<j | 1<<l
				if len(agree(h, h^flip, 4)) == 0 {
					t.Fatalf("%x and %x differ in 3 bits and share no block", h, h^flip)
				}
			}
		}
	}
	for k := range 64 {
		n := k + 1
		for out := range n {
			a := rnd.Uint64()
			b := a
			for _, bit := range oneInEach(rnd, 64, n, out) {
				b ^= 1 << bit
			}
			if got := agree(a, b, n); bits.OnesCount64(a^b) != k || !slices.Equal(got, []int{out}) {
				t.Fatalf("%d bits, one in each of %d blocks but %d: blocks %v agree", k, n, out, got)
			}
		}
		for range 200 {
			a := rnd.Uint64()
			b := a
			for _, bit := range rnd.Perm(64)[:k] {
				b ^= 1 << bit
			}
			if len(agree(a, b, n)) == 0 {
				t.Fatalf("%x and %x differ in %d bits and share no block of %d", a, b, k, n)
			}
		}
	}
}

// Sketches of real sets: whenever 90 of 100 lanes agree, a key agrees; and unlike sets are
// candidates as rarely as the formula says.
func TestSketchesShareKeys(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(45, 46))
	builder := sketch.NewBuilder(100, 0)
	of := func(elements []uint64) sketch.Sketch {
		builder.Reset()
		builder.Add(elements)
		builder.Finish(elements)
		return builder.Append(nil)
	}
	const pairs, union = 2000, 400
	for _, common := range []int{200, 320, 360, 380} {
		candidates := 0
		for range pairs {
			elements := make([]uint64, union)
			for i := range elements {
				elements[i] = rnd.Uint64()
			}
			half := (union - common) / 2
			a, b := of(elements[:union-half]), of(elements[half:])
			shares := false
			for i := range 11 {
				shares = shares || a.Band(100, 11, i) == b.Band(100, 11, i)
			}
			if !shares && sketch.Within(a, b, 10) {
				t.Fatal("a pair with 90 agreeing lanes shares no key")
			}
			if shares {
				candidates++
			}
		}
		r := float64(common) / union
		got, want := float64(candidates)/pairs, candidate(r, sizes(100, 11))
		t.Logf("r = %v: %.4f are candidates, independent lanes would give %.4f", r, got, want)
		if r == .5 && got > 2*want {
			t.Errorf("r = %v: %.4f are candidates, want about %.4f", r, got, want)
		}
	}
}
