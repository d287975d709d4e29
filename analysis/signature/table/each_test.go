package table_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// Signatures are added one by one. They are found in their order, as many as wanted from the first on.
func TestEach(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	pairs := 0
	for range 100 {
		rule, all := mixed(rnd, []int{16, 100, 128}, []int{-1, 0, 1, 3, 5, 6, 12}, 60)
		all = slices.DeleteFunc(all, func(s *signature.Signature) bool { return s == nil })
		tab := table.New(rule)
		for n, s := range all {
			var want []int
			for i, earlier := range all[:n] {
				if neartest.Duplicates(rule, earlier, s) {
					want = append(want, i)
				}
			}
			if got := slices.Collect(tab.Each(s)); !slices.Equal(got, want) {
				t.Fatalf("%+v: Each of %d = %v, want %v", rule, n, got, want)
			}
			if got := slices.Collect(tab.Each(s)); !slices.Equal(got, want) {
				t.Fatalf("%+v: All of %d = %v, want %v", rule, n, got, want)
			}
			for i := range tab.Each(s) {
				if i != want[0] {
					t.Fatalf("%+v: the first of %d is %d, want %d", rule, n, i, want[0])
				}
				break
			}
			pairs += len(want)
			tab.Add(s)
		}
	}
	if pairs < 500 {
		t.Errorf("%d pairs met a rule: this test shows little", pairs)
	}
}

// Thousands of copies of a few texts, so that slots wrap around and tables grow. They are
// still found in their order.
func TestEachOfCopies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 10 {
		texts := []*signature.Signature{random(rnd, 100), random(rnd, 100), random(rnd, 100)}
		tab := table.New(signature.Rule{})
		want := make([][]int, len(texts))
		for n := range 2000 {
			k := rnd.IntN(len(texts))
			tab.Add(texts[k])
			want[k] = append(want[k], n)
		}
		for k, s := range texts {
			if got := slices.Collect(tab.Each(s)); !slices.Equal(got, want[k]) {
				t.Fatalf("copies of %d: %v, want %v", k, got, want[k])
			}
		}
	}
}

// The first 64 of n copies take as long among many as among few.
func BenchmarkEach(b *testing.B) {
	for _, n := range []int{500, 2000, 8000} {
		rnd := rand.New(rand.NewPCG(9, 10))
		copied := random(rnd, 100)
		tab := table.New(signature.Rule{})
		for range n {
			tab.Add(copied)
		}
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			for b.Loop() {
				found := 0
				for range tab.Each(copied) {
					if found++; found == 64 {
						break
					}
				}
			}
		})
	}
}
