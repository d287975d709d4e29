package sketch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

func TestBounds(t *testing.T) {
	t.Parallel()
	for total := 1; total <= 130; total++ {
		for n := 1; n <= total; n++ {
			next := 0
			for i := range n {
				begin, end := sketch.Bounds(total, n, i)
				if size := end - begin; begin != next || size < total/n || size > (total+n-1)/n {
					t.Fatalf("part %d of %d of %d: got %d to %d, want about %d from %d", i, n, total, begin, end, total/n, next)
				}
				next = end
			}
			if next != total {
				t.Fatalf("%d parts of %d end at %d", n, total, next)
			}
		}
	}
}

// Mask is compared with a list of the bits that are set, cut into blocks, and with Simhash
// if all bits are set.
func TestMask(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	wholes := []uint64{0, 1, 1 << 63, ^uint64(0)}
	for range 100 {
		wholes = append(wholes, rnd.Uint64()&rnd.Uint64())
	}
	for _, whole := range wholes {
		var set []int
		for bit := range 64 {
			if whole>>bit&1 != 0 {
				set = append(set, bit)
			}
		}
		for n := 1; n <= 12; n++ {
			for i := range n {
				want := uint64(0)
				begin, end := sketch.Bounds(len(set), n, i)
				for _, bit := range set[begin:end] {
					want |= 1 << bit
				}
				if got := simhash.Mask(whole, n, i); got != want {
					t.Fatalf("block %d of %d of %#x: got %#x, want %#x", i, n, whole, got, want)
				}
				begin, _ = sketch.Bounds(64, n, i)
				if h := rnd.Uint64(); (h&simhash.Mask(^uint64(0), n, i))>>begin != simhash.Block(h, n, i) {
					t.Fatalf("block %d of %d of simhash %#x: got %#x", i, n, h, simhash.Block(h, n, i))
				}
			}
		}
	}
}

// sizes returns the sizes of all bands, sorted.
func sizes(total, n int) (all []int) {
	for i := range n {
		begin, end := sketch.Bounds(total, n, i)
		all = append(all, end-begin)
	}
	slices.Sort(all)
	return all
}

// The plans of the literature: 11 bands for 90 of 100, 4 blocks for 3 of 64 bits.
func TestSizes(t *testing.T) {
	t.Parallel()
	if got, want := sizes(100, 11), []int{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("bands of 100 lanes: got %v, want %v", got, want)
	}
	if got, want := sizes(64, 4), []int{16, 16, 16, 16}; !slices.Equal(got, want) {
		t.Errorf("blocks of 64 bits: got %v, want %v", got, want)
	}
	if got, want := sizes(64, 6), []int{10, 10, 11, 11, 11, 11}; !slices.Equal(got, want) {
		t.Errorf("blocks of 64 bits: got %v, want %v", got, want)
	}
}

// candidate is P[at least one of the bands agrees as a whole], for lanes that
// agree with probability s each, independently.
func candidate(s float64, bands []int) float64 {
	none := 1.0
	for _, lanes := range bands {
		none *= 1 - math.Pow(s, float64(lanes))
	}
	return 1 - none
}

// The figures of "Mining of Massive Datasets", chapter 3, for 20 bands of 5, and figures
// for the 11 bands that miss nothing.
func TestCandidateCurve(t *testing.T) {
	t.Parallel()
	twenty, eleven := sizes(100, 20), sizes(100, 11)
	for _, tt := range []struct {
		bands     []int
		s, p, off float64
	}{
		{twenty, .2, .006, .0005},
		{twenty, .3, .047, .001},
		{twenty, .4, .186, .0005},
		{twenty, .5, .470, .0005},
		{twenty, .6, .802, .0005},
		{twenty, .7, .975, .0005},
		{twenty, .8, .9996, .0001},
		{eleven, .3, 2.0e-4, .1e-4},
		{eleven, .5, .020, .001},
		{eleven, .6, .10, .005},
		{eleven, .8, .79, .005},
		{eleven, .9, .995, .001},
	} {
		if p := candidate(tt.s, tt.bands); math.Abs(p-tt.p) > tt.off {
			t.Errorf("%d bands, s = %v: got %.5f, want %v", len(tt.bands), tt.s, p, tt.p)
		}
	}
	// The knee is near (1/b)^(1/r): there a pair is a candidate with probability
	// 1-(1-1/b)^b, about 1-1/e.
	if p := candidate(math.Pow(1./20, 1./5), twenty); math.Abs(p-(1-1/math.E)) > .01 {
		t.Errorf("at the knee: got %v", p)
	}
}

func TestSimhashBlocks(t *testing.T) {
	t.Parallel()
	const h = 0x123456789abcdef0
	for i, want := range []uint64{0xdef0, 0x9abc, 0x5678, 0x1234} {
		if got := simhash.Block(h, 4, i); got != want {
			t.Errorf("block %d of 4: got %x, want %x", i, got, want)
		}
	}
	if got := simhash.Block(h, 1, 0); got != h {
		t.Errorf("the only block: got %x, want %x", got, uint64(h))
	}
	for n := 1; n <= 64; n++ {
		var whole uint64
		for i := range n {
			begin, _ := sketch.Bounds(64, n, i)
			whole |= simhash.Block(h, n, i) << begin
		}
		if whole != h {
			t.Errorf("%d blocks make up %x, want %x", n, whole, uint64(h))
		}
	}
}

// Keys are stored by programs that look documents up by them: these must never change.
func TestBandGolden(t *testing.T) {
	t.Parallel()
	s := sketch.Sketch{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	for i, want := range []uint64{0xdd0274386e26030c, 0x44bd4ed18ff37783, 0x8c51974bfd65a9df} {
		if got := s.Band(16, 3, i); got != want {
			t.Errorf("band %d of 3: got %#x, want %#x", i, got, want)
		}
	}
}
