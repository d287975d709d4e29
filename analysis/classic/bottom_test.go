package classic_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// bottomPermuted returns the elements of the set under the permutation: splitmix64 written out,
// with constant 8 of the seed as the key.
func bottomPermuted(seed uint64, elements []uint64) map[uint64]bool {
	splitmix := func(state, i uint64) uint64 {
		z := state + i*0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	set := map[uint64]bool{}
	for _, x := range elements {
		set[splitmix(splitmix(seed, 8), x)] = true
	}
	return set
}

// bottomNaive returns the s least elements of a set.
func bottomNaive(set map[uint64]bool, s int) []uint64 {
	sorted := slices.Sorted(maps.Keys(set))
	return sorted[:min(s, len(sorted))]
}

func TestBottomOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range []int{1, 2, 10, 100, 1000} {
		for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 101, 200, 5000} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			want := bottomNaive(bottomPermuted(42, set), s)
			for range 3 {
				got := classic.BottomOf(classic.BottomParams{Size: s, Seed: 42}, set)
				if !slices.Equal(got.Values, want) || got.Size != s {
					t.Fatalf("s = %d, %d elements: got %x, want %x", s, n, got.Values, want)
				}
				// Neither order nor repetitions matter.
				set = append(set, set[:n/2]...)
				rnd.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
			}
		}
	}
	if got := classic.BottomOf(classic.BottomParams{Size: 3}, slices.Repeat([]uint64{1, 2}, 1000)); len(got.Values) != 2 {
		t.Errorf("two elements, repeated: got %x", got.Values)
	}
}

// Resemblance is compared with the definition over whole sets.
func TestBottomResemblance(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, s := range []int{1, 10, 100} {
		p := classic.BottomParams{Size: s, Seed: 42}
		for range 200 {
			a, b := neartest.Sets(rnd, rnd.IntN(100), rnd.IntN(100), rnd.IntN(100))
			x, y := classic.BottomOf(p, a), classic.BottomOf(p, b)
			r, ok := classic.BottomResemblance(&x, &y)
			setA, setB, union := bottomPermuted(42, a), bottomPermuted(42, b), bottomPermuted(42, slices.Concat(a, b))
			if len(union) == 0 {
				if ok {
					t.Fatalf("no sets: got %v", r)
				}
				continue
			}
			common, least := 0, bottomNaive(union, s)
			for _, v := range least {
				if setA[v] && setB[v] {
					common++
				}
			}
			if want := float64(common) / float64(len(least)); !ok || r.Value != want {
				t.Fatalf("s = %d, sets of %d and %d: got %v, %v, want %v", s, len(a), len(b), r, ok, want)
			}
			if back, _ := classic.BottomResemblance(&y, &x); back != r {
				t.Fatalf("there %v, back %v", r, back)
			}
			if len(union) < s && r.StdErr != 0 {
				t.Fatalf("s = %d, union of %d: got a standard error of %v", s, len(union), r.StdErr)
			}
		}
	}
}

func TestBottomDifferentParams(t *testing.T) {
	t.Parallel()
	a := classic.BottomOf(classic.BottomParams{Size: 10}, []uint64{1, 2, 3})
	for _, b := range []classic.Bottom{
		{}, classic.BottomOf(classic.BottomParams{Size: 11}, []uint64{1, 2, 3}), classic.BottomOf(classic.BottomParams{Size: 10, Seed: 1}, []uint64{1, 2, 3}),
	} {
		if r, ok := classic.BottomResemblance(&a, &b); ok {
			t.Errorf("%+v: got %v", b, r)
		}
	}
}

func TestBottomValidate(t *testing.T) {
	t.Parallel()
	for _, s := range []int{-1, 0, 1<<16 + 1} {
		p, want := classic.BottomParams{Size: s}, fmt.Sprintf("bottom: size: wanted 1 to 65536, got %d", s)
		if err := p.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("got the panic %s, want %s", got, want)
				}
			}()
			classic.BottomOf(p, nil)
		}()
	}
}

// The mean of the estimates is the resemblance, and their variance the stated one.
func TestBottomAccuracy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ size, s, pairs int }{
		{20, 10, 20_000}, {200, 100, 20_000}, {200, 20, 5_000}, {2000, 100, 2_000},
	} {
		tt.pairs = neartest.Rounds(tt.pairs)
		for _, want := range []float64{.5, .8, .9, .95} {
			common, only := neartest.Shares(tt.size, want)
			trials := neartest.Trials{Truth: float64(common) / float64(common+2*only)}
			rnd := rand.New(rand.NewPCG(uint64(tt.size), uint64(only)))
			for i := range tt.pairs {
				a, b := neartest.Sets(rnd, common, only, only)
				p := classic.BottomParams{Size: tt.s, Seed: uint64(i)}
				x, y := classic.BottomOf(p, a), classic.BottomOf(p, b)
				r, ok := classic.BottomResemblance(&x, &y)
				if !ok {
					t.Fatal("no estimate")
				}
				trials.Add(r)
			}
			if err := trials.Err(0, 0); err != nil {
				t.Errorf("sets of %d, s = %d: %v", tt.size, tt.s, err)
			}
			t.Logf("sets of %d, s = %d: %v", tt.size, tt.s, &trials)
		}
	}
}

func BenchmarkBottomOf(b *testing.B) {
	for _, n := range []int{420, 4220} {
		set, _ := neartest.Sets(rand.New(rand.NewPCG(7, 8)), 0, n, 0)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				classic.BottomOf(classic.BottomParams{Size: 100}, set)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/shingle")
		})
	}
}

func BenchmarkBottomResemblance(b *testing.B) {
	x, y := neartest.Sets(rand.New(rand.NewPCG(7, 8)), 900, 50, 50)
	p := classic.BottomParams{Size: 100}
	s, o := classic.BottomOf(p, x), classic.BottomOf(p, y)
	for b.Loop() {
		classic.BottomResemblance(&s, &o)
	}
}
