package table_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// in returns the function by which Connect reads signatures; nil stands for none.
func in(all []*signature.Signature) func(i int) (signature.Signature, bool) {
	return func(i int) (signature.Signature, bool) {
		if all[i] == nil {
			return signature.Signature{}, false
		}
		return *all[i], true
	}
}

// naive compares all pairs, and returns for each member of a component its least position.
func naive(rule signature.Rule, all []*signature.Signature, scopes []uint64) []int {
	of := make([]int, len(all))
	for i := range of {
		of[i] = i
	}
	for i, a := range all {
		for j, b := range all[:i] {
			if a == nil || b == nil || scopes != nil && scopes[i] != scopes[j] || !neartest.Duplicates(rule, a, b) {
				continue
			}
			from, to := max(of[i], of[j]), min(of[i], of[j])
			for k := range of {
				if of[k] == from {
					of[k] = to
				}
			}
		}
	}
	return of
}

// holdConnect compares Connect with the naive oracle, and returns the number of signatures
// that are joined to another.
func holdConnect(t *testing.T, rule signature.Rule, all []*signature.Signature, scopes []uint64) (joined int) {
	t.Helper()
	last := -1.0
	got, err := table.Connect(context.Background(), rule, len(all), in(all), scopes, nil, func(part float64) {
		if part <= last || part >= 1 {
			t.Errorf("progress %v after %v", part, last)
		}
		last = part
	})
	if err != nil {
		t.Fatal(err)
	}
	holdLeaders(t, rule, all)
	for i, want := range naive(rule, all, scopes) {
		if got[i] != uint32(want) {
			t.Fatalf("%+v: %d is joined to %d, want %d", rule, i, got[i], want)
		}
		if want != i {
			joined++
		}
	}
	return joined
}

// holdLeaders compares Leaders with a loop that compares each signature with all leaders
// before it.
func holdLeaders(t *testing.T, rule signature.Rule, all []*signature.Signature) {
	t.Helper()
	var some []signature.Signature
	for _, s := range all {
		if s != nil {
			some = append(some, *s)
		}
	}
	got, err := table.Leaders(context.Background(), rule, some, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int, len(some))
	for i := range some {
		want[i] = i
		for j := range i {
			if want[j] == j && neartest.Duplicates(rule, &some[i], &some[j]) {
				want[i] = j
				break
			}
		}
		if got[i] != want[i] {
			t.Fatalf("%+v: the leader of %d is %d, want %d", rule, i, got[i], want[i])
		}
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(31, 32))
	joined, apart := 0, 0
	for range fewer(300) {
		rule, all := mixed(rnd, []int{16, 17, 64, 100, 200}, []int{-1, 0, 1, 3, 5, 6, 10, 11, 20, 64}, rnd.IntN(120))
		scopes := someScopes(rnd, len(all))
		n := holdConnect(t, rule, all, scopes)
		joined, apart = joined+n, apart+len(all)-n
	}
	if joined < fewer(3000) || apart < fewer(3000) {
		t.Errorf("%d joined and %d not: this test shows little", joined, apart)
	}
}

// A bucket large enough for a centre: families that just meet the rule and families that
// just do not, among signatures that have only their exact hash in common.
func TestConnectFamilies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(37, 38))
	for _, k := range []int{100, 200} {
		for _, mode := range []signature.Mode{signature.Either, signature.SketchOnly, signature.Both} {
			rule := signature.Rule{}
			rule.Mode = mode
			s := random(rnd, k)
			all := []*signature.Signature{}
			for range 200 {
				c := edited(rnd, s, k/25+rnd.IntN(k/10), rnd.IntN(6))
				if len(all) > 0 && rnd.IntN(3) == 0 {
					c = nearby(rnd, all[rnd.IntN(len(all))], rnd.IntN(k/8), rnd.IntN(6))
				}
				all = append(all, c)
			}
			for range 60 {
				c := random(rnd, k)
				c.Exact = 7
				all = append(all, c)
			}
			rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			if joined := holdConnect(t, rule, all, nil); joined < 100 || joined > len(all)-5 {
				t.Errorf("%+v: %d of %d joined: this test shows little", rule, joined, len(all))
			}
		}
	}
}

func TestConnectRealText(t *testing.T) {
	t.Parallel()
	all := manuals(t)
	all = all[:min(1200, len(all))]
	if joined := holdConnect(t, (signature.Rule{}), all, nil); joined < len(all)/3 {
		t.Errorf("%d of %d joined: this test shows little", joined, len(all))
	}
}

// A Connect that is cancelled stops, even in the middle of a single large bucket.
func TestConnectCancelled(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(33, 34))
	var all []*signature.Signature
	for range 5000 {
		all = append(all, random(rnd, 100))
	}
	ctx, cancel := context.WithCancel(context.Background())
	rule := signature.Rule{Hamming: 12, Mode: signature.SimhashOnly}
	compared := 0
	_, err := table.Connect(ctx, rule, len(all), func(i int) (signature.Signature, bool) {
		if compared++; compared == 20_000 {
			cancel()
		}
		return *all[i], true
	}, nil, nil, nil)
	if !errors.Is(err, context.Canceled) || compared > 40_000 {
		t.Errorf("got %v after %d signatures were read", err, compared)
	}
}

// edited is nearby with lanes that take any value, as in edited texts.
func edited(rnd *rand.Rand, s *signature.Signature, lanes, hamming int) *signature.Signature {
	c := nearby(rnd, s, 0, hamming)
	for _, i := range rnd.Perm(s.Lanes)[:lanes] {
		c.Sketch.Set(i, uint8(rnd.Uint32()))
	}
	return c
}

// families makes n signatures of each kind.
var families = []struct {
	name string
	make func(rnd *rand.Rand, n int) []*signature.Signature
}{
	{"equal", func(rnd *rand.Rand, n int) (all []*signature.Signature) {
		s := random(rnd, 100)
		for range n {
			all = append(all, s)
		}
		return all
	}},
	{"near", func(rnd *rand.Rand, n int) (all []*signature.Signature) { // to each other
		s := random(rnd, 100)
		for range n {
			all = append(all, edited(rnd, s, rnd.IntN(6), rnd.IntN(4)))
		}
		return all
	}},
	{"template", func(rnd *rand.Rand, n int) (all []*signature.Signature) { // near few
		s := random(rnd, 100)
		for range n {
			all = append(all, edited(rnd, s, 4+rnd.IntN(10), rnd.IntN(20)))
		}
		return all
	}},
	{"star", func(rnd *rand.Rand, n int) (all []*signature.Signature) { // near only one
		s := random(rnd, 100)
		for range n - 1 {
			all = append(all, edited(rnd, s, 10, 4+rnd.IntN(20)))
		}
		return append(all, s)
	}},
	{"unrelated", func(rnd *rand.Rand, n int) (all []*signature.Signature) {
		for range n {
			all = append(all, random(rnd, 100))
		}
		return all
	}},
}

// How the time grows with the size of a family:
//
//	go test -run xxx -bench Connect/ ./analysis/signature/table
func BenchmarkConnect(b *testing.B) {
	for _, family := range families {
		for _, n := range sizes(1000, 10_000, 100_000) {
			b.Run(fmt.Sprintf("%s/n=%d", family.name, n), func(b *testing.B) {
				rnd := rand.New(rand.NewPCG(35, 36))
				all := family.make(rnd, n)
				for b.Loop() {
					if _, err := table.Connect(context.Background(), (signature.Rule{}), n, in(all), nil, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/doc")
			})
		}
	}
}

// A million in families of realistic sizes, in a column; ten thousand with -short.
//
//	go test -run xxx -bench ConnectMillion ./analysis/signature/table
func BenchmarkConnectMillion(b *testing.B) {
	c := million(slices.Max(sizes(10_000, 1_000_000)))
	for b.Loop() {
		if _, err := table.Connect(context.Background(), (signature.Rule{}), c.Len(), c.At, nil, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
