package bottom_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/classic/bottom"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// permuted returns the elements of the set under the permutation: splitmix64 written out,
// with constant 8 of the seed as the key.
func permuted(seed uint64, elements []uint64) map[uint64]bool {
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

// naive returns the s least elements of a set.
func naive(set map[uint64]bool, s int) []uint64 {
	sorted := slices.Sorted(maps.Keys(set))
	return sorted[:min(s, len(sorted))]
}

func TestOf(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, s := range []int{1, 2, 10, 100, 1000} {
		for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 101, 200, 5000} {
			set, _ := neartest.Sets(rnd, 0, n, 0)
			want := naive(permuted(42, set), s)
			for range 3 {
				got := bottom.Of(bottom.Params{Size: s, Seed: 42}, set)
				if !slices.Equal(got.Values, want) || got.Size != s {
					t.Fatalf("s = %d, %d elements: got %x, want %x", s, n, got.Values, want)
				}
				// Neither order nor repetitions matter.
				set = append(set, set[:n/2]...)
				rnd.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
			}
		}
	}
	if got := bottom.Of(bottom.Params{Size: 3}, slices.Repeat([]uint64{1, 2}, 1000)); len(got.Values) != 2 {
		t.Errorf("two elements, repeated: got %x", got.Values)
	}
}

// Resemblance is compared with the definition over whole sets.
func TestResemblance(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, s := range []int{1, 10, 100} {
		p := bottom.Params{Size: s, Seed: 42}
		for range 200 {
			a, b := neartest.Sets(rnd, rnd.IntN(100), rnd.IntN(100), rnd.IntN(100))
			x, y := bottom.Of(p, a), bottom.Of(p, b)
			r, ok := bottom.Resemblance(&x, &y)
			setA, setB, union := permuted(42, a), permuted(42, b), permuted(42, slices.Concat(a, b))
			if len(union) == 0 {
				if ok {
					t.Fatalf("no sets: got %v", r)
				}
				continue
			}
			common, least := 0, naive(union, s)
			for _, v := range least {
				if setA[v] && setB[v] {
					common++
				}
			}
			if want := float64(common) / float64(len(least)); !ok || r.Value != want {
				t.Fatalf("s = %d, sets of %d and %d: got %v, %v, want %v", s, len(a), len(b), r, ok, want)
			}
			if back, _ := bottom.Resemblance(&y, &x); back != r {
				t.Fatalf("there %v, back %v", r, back)
			}
			if len(union) < s && r.StdErr != 0 {
				t.Fatalf("s = %d, union of %d: got a standard error of %v", s, len(union), r.StdErr)
			}
			if err := x.Merge(&y); err != nil || !slices.Equal(x.Values, least) {
				t.Fatalf("s = %d: merged %x, %v, want %x", s, x.Values, err, least)
			}
		}
	}
}

func TestDifferentParams(t *testing.T) {
	t.Parallel()
	a := bottom.Of(bottom.Params{Size: 10}, []uint64{1, 2, 3})
	for _, b := range []bottom.Sketch{
		{}, bottom.Of(bottom.Params{Size: 11}, []uint64{1, 2, 3}), bottom.Of(bottom.Params{Size: 10, Seed: 1}, []uint64{1, 2, 3}),
	} {
		if r, ok := bottom.Resemblance(&a, &b); ok {
			t.Errorf("%+v: got %v", b, r)
		}
		if err := a.Merge(&b); err == nil || !strings.Contains(err.Error(), "bottom: merge: wanted size 10 with parameters ") {
			t.Errorf("%+v: got %v", b, err)
		}
	}
	if len(a.Values) != 3 {
		t.Errorf("a merge that failed left %x", a.Values)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, s := range []int{-1, 0, 1<<16 + 1} {
		p, want := bottom.Params{Size: s}, fmt.Sprintf("bottom: size: wanted 1 to 65536, got %d", s)
		if err := p.Validate(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got != want {
					t.Errorf("got the panic %s, want %s", got, want)
				}
			}()
			bottom.Of(p, nil)
		}()
	}
}

// The mean of the estimates is the resemblance, and their variance the stated one.
func TestAccuracy(t *testing.T) {
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
				p := bottom.Params{Size: tt.s, Seed: uint64(i)}
				x, y := bottom.Of(p, a), bottom.Of(p, b)
				r, ok := bottom.Resemblance(&x, &y)
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

func BenchmarkOf(b *testing.B) {
	for _, n := range []int{420, 4220} {
		set, _ := neartest.Sets(rand.New(rand.NewPCG(7, 8)), 0, n, 0)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bottom.Of(bottom.Params{Size: 100}, set)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/shingle")
		})
	}
}

func BenchmarkResemblance(b *testing.B) {
	x, y := neartest.Sets(rand.New(rand.NewPCG(7, 8)), 900, 50, 50)
	p := bottom.Params{Size: 100}
	s, o := bottom.Of(p, x), bottom.Of(p, y)
	for b.Loop() {
		bottom.Resemblance(&s, &o)
	}
}
