package table_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

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
				f = table.Freeze(c, nil, nil).Keyed(signature.Rule{}, table.Plan{})
			}
		}
		b.Run(fmt.Sprint("build/n=", n), func(b *testing.B) {
			ready()
			for b.Loop() {
				table.Freeze(c, nil, nil).Keyed(signature.Rule{}, table.Plan{})
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
