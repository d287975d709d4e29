package classic_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// bottomPermuted returns the elements of the set under the permutation with constant 8 of the seed as the key.
func bottomPermuted(seed uint64, elements []uint64) map[uint64]bool {
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
