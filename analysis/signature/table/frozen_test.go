package table_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// near returns what a Frozen yields for s, in order.
func near(t *testing.T, f *table.Frozen, rule signature.Rule, chosen table.Plan, s *signature.Signature, scope uint64) []int {
	t.Helper()
	var p table.Probe
	p.Prepare(rule, chosen, s, scope)
	var got []int
	f.Near(&p, func(i int) bool {
		got = append(got, i)
		return true
	})
	slices.Sort(got)
	if twice := len(got) - len(slices.Compact(slices.Clone(got))); twice > 0 {
		t.Fatalf("%+v: %d documents were yielded more than once", rule, twice)
	}
	return got
}

// hold compares a Frozen of all with the naive oracle; nil stands for no signature.
func hold(t *testing.T, rule signature.Rule, chosen table.Plan, all []*signature.Signature, scopes []uint64) (pairs int) {
	t.Helper()
	c := table.NewColumn(len(all))
	for i, s := range all {
		c.Set(i, s)
	}
	f := table.Freeze(c, rule, chosen, scopes)
	for n, s := range all {
		if s == nil {
			continue
		}
		scope := uint64(0)
		if scopes != nil {
			scope = scopes[n]
		}
		var want []int
		for i, other := range all {
			if other != nil && (scopes == nil || scopes[i] == scope) && neartest.Duplicates(rule, other, s) {
				want = append(want, i)
			}
		}
		if got := near(t, f, rule, chosen, s, scope); !slices.Equal(got, want) {
			t.Fatalf("%+v, %+v: near %d are %v, want %v", rule, chosen, n, got, want)
		}
		pairs += len(want)
	}
	return pairs
}

// Families that just meet the rule and families that just do not, mixed with documents that
// have no signature, no token, no shingle, other parameters or other lanes.
func TestFrozen(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(21, 22))
	pairs := 0
	for range fewer(120) {
		rule, all := mixed(rnd, []int{16, 17, 64, 100, 128, 200}, []int{-1, 0, 1, 3, 5, 6, 12, 64}, rnd.IntN(80))
		scopes := someScopes(rnd, len(all))
		chosen := table.Plan{}
		if rule.Bits() <= 3 {
			chosen.Tables = []int{0, 4, 10, 16, 20}[rnd.IntN(5)]
		}
		pairs += hold(t, rule, chosen, all, scopes)
	}
	if pairs < fewer(5000) {
		t.Errorf("%d pairs met a rule: this test shows little", pairs)
	}
}

// A signature is returned as it was set.
func TestColumn(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(23, 24))
	all := []*signature.Signature{nil, {Params: 100, Exact: 5, Tokens: 3}, random(rnd, 100), random(rnd, 64), {}, random(rnd, 100), {Tokens: 1 << 40}}
	c := table.NewColumn(len(all) + 1)
	for i, s := range all {
		if c.Known(i) || !c.Set(i, s) || c.Set(i, random(rnd, 100)) || !c.Known(i) {
			t.Errorf("%d can be set twice", i)
		}
	}
	for i, s := range all {
		got, ok := c.At(i)
		switch {
		case ok != (s != nil):
			t.Errorf("%d: has a signature: %v", i, ok)
		case ok && fmt.Sprint(got) != fmt.Sprint(*s):
			t.Errorf("%d: got %v, want %v", i, got, *s)
		}
	}
	if c.Known(len(all)) {
		t.Error("what was not set is known")
	}
}

func TestFrozenRealText(t *testing.T) {
	t.Parallel()
	all := manuals(t)
	for _, tables := range []int{10, 16, 20} {
		hold(t, signature.Rule{}, table.Plan{Bands: 20, Rows: 5, Tables: tables}, all[:200], nil)
	}
	if pairs := hold(t, (signature.Rule{}), table.Plan{}, all, nil); pairs < len(all)*3/2 {
		t.Errorf("%d pairs among %d: this test shows little", pairs, len(all))
	}
}

// million makes n signatures: a quarter of them in families of 1 to 60 copies near one, and
// others that are near none.
func million(n int) *table.Column {
	rnd := rand.New(rand.NewPCG(25, 26))
	c := table.NewColumn(n)
	s := random(rnd, 100)
	for i := 0; i < n; {
		*s = signature.Signature{
			Params: 100, Exact: rnd.Uint64(), Simhash: rnd.Uint64(), Tokens: 20, Shingles: 17, Lanes: 100, Sketch: s.Sketch,
		}
		for w := range s.Sketch {
			s.Sketch[w] = rnd.Uint64()
		}
		c.Set(i, s)
		i++
		if rnd.IntN(40) != 0 {
			continue
		}
		for range min(n-i, 1+rnd.IntN(60)/(1+rnd.IntN(6))) {
			c.Set(i, nearby(rnd, s, rnd.IntN(11), rnd.IntN(8)))
			i++
		}
	}
	return c
}

var frozenMost = flag.Int("most", 1_000_000, "signatures of BenchmarkFrozen, 10,000 or more")

// Lookups of documents of the column itself, and of others, find all that are near, with
// verification. Build time and bytes a document are figures of the tables.
//
//	go test -run xxx -bench Frozen ./analysis/signature/table
//
// Ten million, with -most 10000000, take 3.5 GB.
func BenchmarkFrozen(b *testing.B) {
	for n := 10_000; n <= slices.Max(sizes(10_000, *frozenMost)); n *= 10 {
		var c *table.Column
		var f *table.Frozen
		ready := func() {
			if c == nil {
				c = million(n)
				f = table.Freeze(c, signature.Rule{}, table.Plan{}, nil)
			}
		}
		b.Run(fmt.Sprint("build/n=", n), func(b *testing.B) {
			ready()
			for b.Loop() {
				table.Freeze(c, signature.Rule{}, table.Plan{}, nil)
			}
			b.ReportMetric(float64(f.Size())/float64(n), "B/doc")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/doc")
		})
		for _, own := range []bool{true, false} {
			b.Run(fmt.Sprintf("lookup/own=%v/n=%d", own, n), func(b *testing.B) {
				ready()
				rnd := rand.New(rand.NewPCG(27, 28))
				probes := make([]signature.Signature, 1<<14)
				for i := range probes {
					if probes[i], _ = c.At(rnd.IntN(n)); own {
						probes[i].Sketch = slices.Clone(probes[i].Sketch)
					} else {
						probes[i] = *random(rnd, 100)
					}
				}
				var p table.Probe
				found, i := 0, 0
				for b.Loop() {
					p.Prepare(signature.Rule{}, table.Plan{}, &probes[i%len(probes)], 0)
					f.Near(&p, func(int) bool {
						found++
						return true
					})
					i++
				}
				b.ReportMetric(float64(found)/float64(b.N), "found/op")
			})
		}
	}
}

// nearby returns a copy of s that differs in some lanes and bits of the simhash.
func nearby(rnd *rand.Rand, s *signature.Signature, lanes, hamming int) *signature.Signature {
	c := *s
	c.Exact = rnd.Uint64()
	c.Sketch = make(sketch.Sketch, len(s.Sketch))
	copy(c.Sketch, s.Sketch)
	for _, i := range rnd.Perm(s.Lanes)[:lanes] {
		c.Sketch[i/8] ^= 1 << (rnd.IntN(8) + i%8*8)
	}
	for _, bit := range rnd.Perm(64)[:hamming] {
		c.Simhash ^= 1 << bit
	}
	return &c
}
