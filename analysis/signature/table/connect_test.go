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
)

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
			if joined := newOracle(t, rule, all, nil).connect(nil); joined < 100 || joined > len(all)-5 {
				t.Errorf("%+v: %d of %d joined: this test shows little", rule, joined, len(all))
			}
		}
	}
}

// Few that have near-duplicates among many that are alone.
func TestConnectAlone(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, rule := range []signature.Rule{{}, {Hamming: 3, Mode: signature.SimhashOnly}, {Hamming: 5, Mode: signature.SimhashOnly}, {Lanes: 90, Mode: signature.SketchOnly}, {Hamming: 8}} {
		all := []*signature.Signature{nil, {}, {Exact: 3, Tokens: 2}, {Exact: 3, Tokens: 1}, nil}
		for range 400 {
			s := random(rnd, 100)
			all = append(all, s)
			if rnd.IntN(20) == 0 {
				for range 1 + rnd.IntN(4) {
					all = append(all, nearby(rnd, s, rnd.IntN(20), rnd.IntN(5)))
				}
			}
		}
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		newOracle(t, rule, all, nil).connect(nil)
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
