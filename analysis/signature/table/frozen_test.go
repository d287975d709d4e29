package table_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

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

// Lookups beside a collector that runs all the time find what they found before, and the memory of tables that are used
// no more is given back.
func TestFrozenMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests need memory meanwhile")
	}
	const n, times = 70_000, 12
	c := million(n)
	var want [10]int
	var before, after int
	for i := range times {
		f := table.Freeze(c, nil, nil).Keyed(signature.Rule{}, table.Plan{})
		if i == 0 {
			before = memory(t)
		}
		for doc := range want {
			s, _ := c.At(doc * 1000)
			var p table.Probe
			p.Prepare(signature.Rule{}, table.Plan{}, &s, 0)
			found := 0
			f.Near(&p, func(int) bool {
				runtime.GC()
				found++
				return true
			})
			if i == 0 {
				want[doc] = found
			}
			if found == 0 || found != want[doc] {
				t.Fatalf("table %d, document %d: found %d, wanted %d", i, doc*1000, found, want[doc])
			}
		}
	}
	for range 1000 { // what is collected is given back a while later
		runtime.GC()
		if after = memory(t); after < before+times/3*71*n { // a third of the tables
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d tables of 71 bytes for each of %d documents: memory was %d, and is %d", times, n, before, after)
}

// memory is the anonymous memory of this process, in bytes; the test is skipped where the system does not say.
func memory(t *testing.T) (kB int) {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, ok := strings.Cut(string(status), "RssAnon:")
	if !ok {
		t.Skip("the system does not say how much memory a process has")
	}
	_, _ = fmt.Sscan(after, &kB)
	return kB << 10
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
