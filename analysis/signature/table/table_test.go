package table_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// random returns a signature of k lanes that shares nothing with others.
func random(rnd *rand.Rand, k int) *signature.Signature {
	s := &signature.Signature{
		Params: uint32(k), Exact: rnd.Uint64(), Simhash: rnd.Uint64(), Tokens: 20, Shingles: 17,
		Lanes: k, Sketch: make(sketch.Sketch, sketch.Words(k)),
	}
	for i := range k {
		s.Sketch.Set(i, uint8(rnd.Uint32()))
	}
	return s
}

// compare compares a table of all with the naive oracle, signature by signature.
func compare(t *testing.T, rule signature.Rule, all []*signature.Signature) (pairs int) {
	t.Helper()
	tab := table.New(rule)
	for n, s := range all {
		var want []int
		for i, earlier := range all[:n] {
			if neartest.Duplicates(rule, earlier, s) {
				want = append(want, i)
			}
		}
		first := -1
		if len(want) > 0 {
			first = want[0]
		}
		if got := tab.First(s); got != first {
			t.Fatalf("%+v: First of %d = %d, want %d", rule, n, got, first)
		}
		if got := slices.Collect(tab.Each(s)); !slices.Equal(got, want) {
			t.Fatalf("%+v: All of %d = %v, want %v", rule, n, got, want)
		}
		pairs += len(want)
		tab.Add(s)
	}
	if tab.Len() != len(all) {
		t.Errorf("Len = %d, want %d", tab.Len(), len(all))
	}
	return pairs
}

// fewer is a third of n with -short, and n without it.
func fewer(n int) int {
	if testing.Short() {
		return n / 3
	}
	return n
}

var manualsOnce struct {
	sync.Once
	all []*signature.Signature
}

// manuals are the signatures of the shipped manuals, or with -short of 400.
func manuals(t *testing.T) []*signature.Signature {
	t.Helper()
	docs := neartest.Shipped(t)
	manualsOnce.Do(func() {
		if testing.Short() {
			docs = docs[:400]
		}
		for _, d := range docs {
			s := signature.Of(signature.DefaultParams(), []byte(d.Text))
			manualsOnce.all = append(manualsOnce.all, &s)
		}
	})
	return slices.Clone(manualsOnce.all)
}

// Pairs that just meet the rule and pairs that just do not, for rules and numbers of lanes
// of all kinds.
func TestAgainstOracle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	pairs := 0
	for range fewer(150) {
		rule, all := mixed(rnd, []int{16, 17, 64, 100, 128, 200}, []int{-1, 0, 1, 3, 5, 6, 12, 64}, 60)
		all = slices.DeleteFunc(all, func(s *signature.Signature) bool { return s == nil })
		pairs += compare(t, rule, all)
	}
	if pairs < fewer(1000) {
		t.Errorf("%d pairs met a rule: this test shows little", pairs)
	}
}

func TestRealText(t *testing.T) {
	t.Parallel()
	all := manuals(t)
	for _, rule := range []signature.Rule{
		{},
		{Lanes: 60, Mode: signature.SketchOnly},
		{Hamming: 9, Mode: signature.Either},
	} {
		if pairs := compare(t, rule, all); pairs < len(all)/2 {
			t.Errorf("%+v: %d pairs: this test shows little", rule, pairs)
		}
	}
}

// sizes are the sizes of a benchmark, with -short only those of at most 10,000.
func sizes(all ...int) []int {
	return slices.DeleteFunc(all, func(n int) bool { return testing.Short() && n > 10_000 })
}

// A lookup among signatures that are all unrelated.
func BenchmarkFirst(b *testing.B) {
	for _, n := range sizes(10, 100, 10_000, 100_000) {
		rnd := rand.New(rand.NewPCG(3, 4))
		tab := table.New(signature.Rule{})
		for range n {
			tab.Add(random(rnd, 100))
		}
		others := make([]*signature.Signature, 4096)
		for i := range others {
			others[i] = random(rnd, 100)
		}
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				if tab.First(others[i%len(others)]) >= 0 {
					b.Fatal("random signatures are near")
				}
				i++
			}
		})
	}
}

// Each signature is looked up among those before it, and added.
func BenchmarkGroup(b *testing.B) {
	for _, n := range sizes(100, 10_000, 100_000) {
		all := make([]*signature.Signature, n)
		rnd := rand.New(rand.NewPCG(5, 6))
		for i := range all {
			all[i] = random(rnd, 100)
		}
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tab := table.New(signature.Rule{})
				for _, s := range all {
					if tab.First(s) < 0 {
						tab.Add(s)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/signature")
		})
	}
}

// A table that was emptied is like a new one.
func TestReset(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 14))
	tab := table.New(signature.Rule{})
	for _, n := range []int{300, 5, 0, 40} {
		var all []*signature.Signature
		for i := range n {
			s := random(rnd, 100)
			if got := tab.First(s); got >= 0 {
				t.Fatalf("of %d: near %d before it is added", i, got)
			}
			all = append(all, s)
			tab.Add(s)
		}
		for i, s := range all {
			if got := tab.First(s); got != i {
				t.Fatalf("First of %d = %d", i, got)
			}
		}
		if tab.Reset(); tab.Len() != 0 || n > 0 && tab.First(all[0]) >= 0 {
			t.Fatal("something is left")
		}
	}
}

// Room can be made at any time, whatever the table has already. Signatures without any key,
// such as those of empty texts, can be added in any number.
func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	all := table.New(signature.Rule{})
	const empty = 50 // more than are compared one by one
	some := signature.Of(signature.DefaultParams(), []byte("a text with words enough for keys of all kinds, bands and blocks, in it"))
	for range empty {
		all.Add(new(signature.Signature))
		if at := all.First(&some); at >= 0 {
			t.Fatalf("got %d, want none", at)
		}
	}
	all.Add(&some)
	if at := all.First(&some); at != empty {
		t.Errorf("got %d, want %d", at, empty)
	}
}

func TestReserve(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	tab := table.New(signature.Rule{})
	var all []*signature.Signature
	for i := range 2000 {
		if i%97 == 0 {
			tab.Reserve(rnd.IntN(4000))
		}
		s := random(rnd, 100)
		all = append(all, s)
		tab.Add(s)
	}
	for i, s := range all {
		if got := tab.First(s); got != i {
			t.Fatalf("First of %d = %d", i, got)
		}
	}
}

// paired reports which signatures Connect joins with another.
func paired(t *testing.T, rule signature.Rule, all []*signature.Signature) []bool {
	t.Helper()
	roots, err := table.Connect(context.Background(), rule, len(all), func(i int) (signature.Signature, bool) {
		if all[i] == nil {
			return signature.Signature{}, false
		}
		return *all[i], true
	}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	joined := make([]bool, len(all))
	for i, root := range roots {
		if uint32(i) != root {
			joined[i], joined[root] = true, true
		}
	}
	return joined
}

// Connect joins a signature with another if and only if it has a duplicate: few among many that are alone.
func TestConnectAlone(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, rule := range []signature.Rule{
		{},
		{Hamming: 3, Mode: signature.SimhashOnly},
		{Hamming: -1, Mode: signature.SimhashOnly},
		{Hamming: 5, Mode: signature.SimhashOnly},
		{Lanes: 90, Mode: signature.SketchOnly},
		{Hamming: 8},
	} {
		all := []*signature.Signature{nil, {}, {Exact: 3, Tokens: 2}, {Exact: 3, Tokens: 1}, nil}
		n := 2000
		if testing.Short() {
			n = 200
		}
		for range n {
			s := random(rnd, 100)
			all = append(all, s)
			if rnd.IntN(20) == 0 {
				for range 1 + rnd.IntN(4) {
					all = append(all, nearby(rnd, s, rnd.IntN(20), rnd.IntN(5)))
				}
			}
		}
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		has := make([]bool, len(all))
		for i, s := range all {
			for j, other := range all[:i] {
				if s != nil && other != nil && neartest.Duplicates(rule, s, other) {
					has[i], has[j] = true, true
				}
			}
		}
		if got := paired(t, rule, all); !slices.Equal(got, has) {
			t.Errorf("%+v: those that Connect joins are not those that have a duplicate", rule)
		}
	}
}
