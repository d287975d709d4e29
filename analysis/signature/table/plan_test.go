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

// Recall is the share of all choices of lanes, where they can be enumerated.
func TestRecall(t *testing.T) {
	t.Parallel()
	const k = 16
	for _, c := range []table.Plan{{Bands: 1, Rows: 1}, {Bands: 3, Rows: 4}, {Bands: 4, Rows: 4}, {Bands: 7, Rows: 2}, {Bands: 9, Rows: 5}, {Bands: 16, Rows: 1}} {
		var all, found [k + 1]float64
		for agree := range uint(1) << k {
			n := 0
			for i := range k {
				n += int(agree >> i & 1)
			}
			all[n]++
			for b := range min(c.Bands, k/c.Rows) {
				if whole := uint(1)<<c.Rows - 1; agree>>(b*c.Rows)&whole == whole {
					found[n]++
					break
				}
			}
		}
		for n := range all {
			if got, want := c.Recall(n, k), found[n]/all[n]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%+v: recall at %d of %d: got %v, want %v", c, n, k, got, want)
			}
		}
	}
	// Drawn at random, for numbers of lanes with too many sets to enumerate, and for
	// numbers of sets near the greatest float64.
	rnd := rand.New(rand.NewPCG(41, 42))
	for _, c := range []struct {
		table.Plan
		agree, k int
	}{{table.Plan{Bands: 4, Rows: 23}, 92, 100}, {table.Plan{Bands: 50, Rows: 2}, 20, 100}, {table.Plan{Bands: 100, Rows: 10}, 512, sketch.MaxLanes}, {table.Plan{Bands: 20, Rows: 50}, 975, sketch.MaxLanes}} {
		const draws = 4000
		found := 0
		for range draws {
			differ := rnd.Perm(c.k)[:c.k-c.agree]
			hit := map[int]bool{}
			for _, lane := range differ {
				if b := lane / c.Rows; b < c.Bands {
					hit[b] = true
				}
			}
			if len(hit) < c.Bands {
				found++
			}
		}
		within(t, fmt.Sprintf("%+v", c), found, draws, c.Recall(c.agree, c.k))
	}
	for _, c := range []struct {
		table.Plan
		agree int
		want  float64
	}{{table.Plan{}, 90, 1}, {table.Plan{Bands: 11, Rows: 9}, 90, 1}, {table.Plan{Bands: 4, Rows: 23}, 22, 0}, {table.Plan{Bands: 4, Rows: 23}, -1, 0}, {table.Plan{Bands: 1, Rows: 101}, 100, 0}} {
		if got := c.Recall(c.agree, 100); got != c.want {
			t.Errorf("%+v: recall at %d of 100: got %v, want %v", c.Plan, c.agree, got, c.want)
		}
	}
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
		f := table.Freeze(column, rule, c, nil)
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
			within(t, fmt.Sprintf("%+v, %d lanes differ", c, d), found[d], pairs[d], c.Recall(100-d, 100))
		}
		if exact := c.Exact(rule, 100); exact != (c.Recall(90, 100) == 1) {
			t.Errorf("%+v: exact is %v, recall %v", c, exact, c.Recall(90, 100))
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
		f := table.Freeze(column, signature.Rule{}, chosen, nil)
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

func ExamplePlan_Recall() {
	p := table.Plan{Bands: 4, Rows: 23}
	fmt.Printf("%.2f of the pairs of which 90 of 100 lanes agree, %.2f of those with 95\n", p.Recall(90, 100), p.Recall(95, 100))
	// Output: 0.25 of the pairs of which 90 of 100 lanes agree, 0.81 of those with 95
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
				f := table.Freeze(c, signature.Rule{}, chosen, nil)
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
