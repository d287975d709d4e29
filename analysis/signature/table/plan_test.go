package table_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// recall is the probability that d lanes of k, any of them, leave one of so many bands of rows whole.
func recall(bands, rows, k, d int) float64 {
	if bands == 0 {
		return 0
	}
	choose := func(n, k int) float64 {
		ways := 1.
		for i := range k {
			ways *= float64(n-i) / float64(i+1)
		}
		return ways
	}
	found := choose(k-rows, d) / choose(k, d)
	for j := 1; j <= min(rows, d); j++ { // lanes of the first band, which is not whole then
		found += choose(rows, j) * choose(k-rows, d-j) / choose(k, d) * recall(bands-1, rows, k-rows, d-j)
	}
	return found
}

// within checks that found of n is within 4 standard errors of p.
func within(t *testing.T, what string, found, n int, p float64) {
	t.Helper()
	if got, most := float64(found)/float64(n), 4*math.Sqrt(p*(1-p)/float64(n))+1e-12; math.Abs(got-p) > most {
		t.Errorf("%s: got recall %.5f of %d, want %.5f ± %.5f", what, got, n, p, most)
	}
}

// LSH finds the stated share of the pairs that meet the rule, and nothing else.
func TestBandsOfRows(t *testing.T) {
	t.Parallel()
	rule := signature.Rule{Mode: signature.SketchOnly}
	for _, c := range []table.Plan{{Bands: 4, Rows: 23}, {Bands: 5, Rows: 20}, {Bands: 6, Rows: 16}, {Bands: 3, Rows: 10}, {Bands: 10, Rows: 10}, {Bands: 20, Rows: 5}} {
		rnd := rand.New(rand.NewPCG(43, uint64(c.Rows)))
		const n = 2000
		column := table.NewColumn(2 * n)
		var all []*signature.Signature
		for i := range n {
			s := random(rnd, 100)
			all = append(all, s, nearby(rnd, s, 2+i%10, 32)) // 11 differ in some
		}
		for i, s := range all {
			column.Set(i, s)
		}
		f := table.Freeze(column, nil, nil).Keyed(rule, c)
		var pairs, found [11]int
		for i := range n {
			s, other := all[2*i], all[2*i+1]
			got := near(t, f, rule, c, s, 0)
			if !slices.Contains(got, 2*i) || len(got) > 2 {
				t.Fatalf("%+v: near %d are %v", c, 2*i, got)
			}
			if !neartest.Duplicates(rule, s, other) {
				if len(got) > 1 {
					t.Fatalf("%+v: %v does not meet the rule", c, got)
				}
				continue
			}
			d := sketch.Differ(s.Sketch, other.Sketch)
			pairs[d]++
			if slices.Contains(got, 2*i+1) {
				found[d]++
			}
		}
		for d := 2; d <= 10; d++ {
			within(t, fmt.Sprintf("%+v, %d lanes differ", c, d), found[d], pairs[d], recall(c.Bands, c.Rows, 100, d))
		}
		if exact := c.Exact(rule, 100); exact != (c.Bands > 10) {
			t.Errorf("%+v: exact is %v", c, exact)
		}
	}
}

// A guard counts the keys of masked tables, and leaves documents under skipped keys to
// others.
func TestGuardTables(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(44, 45))
	s := random(rnd, 100)
	column := table.NewColumn(500)
	for i := range 500 {
		c := random(rnd, 100)
		c.Simhash = s.Simhash ^ 1<<48 // in all tables except those with its block
		column.Set(i, c)
	}
	for _, c := range []struct{ tables, passed int }{{4, 3}, {10, 6}, {16, 9}, {20, 10}} {
		chosen := table.Plan{Tables: c.tables}
		f := table.Freeze(column, nil, nil).Keyed(signature.Rule{}, chosen)
		var p table.Probe
		p.Prepare(signature.Rule{}, chosen, s, 0)
		if got := p.Guard(500, f); got != 0 {
			t.Errorf("%d tables: %d keys are held by more than all", c.tables, got)
		}
		if got := len(near(t, f, (signature.Rule{}), chosen, s, 0)); got != 500 {
			t.Errorf("%d tables: %d were found of 500", c.tables, got)
		}
		p.Prepare(signature.Rule{}, chosen, s, 0)
		if got := p.Guard(499, f); got != c.passed {
			t.Errorf("%d tables: %d keys were passed over, want %d", c.tables, got, c.passed)
		}
		f.Near(&p, func(int) bool {
			t.Errorf("%d tables: something was found by a key that was passed over", c.tables)
			return false
		})
	}
}

func TestPlanValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		json, want string
		hamming    int
	}{
		{`{}`, "", 64},
		{`{"bands": 4, "rows": 23, "tables": 16}`, "", 3},
		{`{"bands": 1024, "rows": 1}`, "", 9},
		{`{"bands": -1}`, "plan: bands: wanted 0 to 1024, got -1", 3},
		{`{"bands": 4}`, "plan: bands and rows: must both be 0", 3},
		{`{"rows": 4}`, "plan: bands and rows: must both be 0", 3},
		{`{"bands": 4, "rows": -4}`, "plan: bands and rows: must both be 0", 3},
		{`{"bands": 11, "rows": 100}`, "got 11 bands of 100", 3},
		{`{"tables": 5}`, "plan: tables: wanted 4, 10, 16, 20, or 0 for as many as the rule needs, got 5", 3},
		{`{"tables": 10}`, "plan: tables: cannot be chosen for a rule of hamming above 3, got 4", 4},
	} {
		var p table.Plan
		if err := json.Unmarshal([]byte(c.json), &p); err != nil {
			t.Fatal(err)
		}
		err := p.Validate(signature.Rule{Hamming: c.hamming})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.json, err, c.want)
		}
	}
}

// The cost of plans: lookups of documents of the column, memory of the tables, and the
// number of entries that a lookup meets.
//
//	go test -run xxx -bench Plan -benchtime 200000x ./analysis/signature/table
func BenchmarkPlan(b *testing.B) {
	for _, n := range sizes(10_000, 100_000, 1_000_000) {
		var c *table.Column
		for _, chosen := range []table.Plan{
			{}, {Tables: 10}, {Tables: 16}, {Tables: 20}, {Bands: 20, Rows: 5}, {Bands: 10, Rows: 10}, {Bands: 5, Rows: 20}, {Bands: 4, Rows: 23},
		} {
			b.Run(fmt.Sprintf("n=%d/bands=%dx%d/tables=%d", n, chosen.Bands, chosen.Rows, chosen.Tables), func(b *testing.B) {
				if c == nil {
					c = million(n)
				}
				f := table.Freeze(c, nil, nil).Keyed(signature.Rule{}, chosen)
				rnd := rand.New(rand.NewPCG(27, 28))
				probes := make([]signature.Signature, 1<<14)
				for i := range probes {
					probes[i], _ = c.At(rnd.IntN(n))
					probes[i].Sketch = slices.Clone(probes[i].Sketch)
				}
				var p table.Probe
				met := 0
				for i := range probes {
					p.Prepare(signature.Rule{}, chosen, &probes[i], 0)
					met += f.Met(&p)
				}
				found, i := 0, 0
				for b.Loop() {
					p.Prepare(signature.Rule{}, chosen, &probes[i%len(probes)], 0)
					f.Near(&p, func(int) bool {
						found++
						return true
					})
					i++
				}
				b.ReportMetric(float64(f.Size())/float64(n), "B/doc")
				b.ReportMetric(float64(met)/float64(len(probes)), "met/op")
				b.ReportMetric(float64(found)/float64(b.N), "found/op")
			})
		}
	}
}
