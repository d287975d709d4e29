package table_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// guarded returns what a Frozen yields for s under a guard, and the number of keys that
// were skipped.
func guarded(s *signature.Signature, most int, tables ...*table.Frozen) (passed int, got [][]int) {
	var p table.Probe
	p.Prepare(signature.Rule{}, table.Plan{}, s, 0)
	passed = p.Guard(most, tables...)
	for _, f := range tables {
		var found []int
		f.Near(&p, func(i int) bool {
			found = append(found, i)
			return true
		})
		got = append(got, found)
	}
	return passed, got
}

// A template that 600 documents have in common fills two bands and one block of simhash
// bits. Its keys are skipped, and near documents are found by the other keys.
func TestGuard(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(31, 32))
	base := random(rnd, 100)
	var columns [2]*table.Column
	var want [2][]int
	for n := range columns {
		columns[n] = table.NewColumn(400)
		for i := range 400 {
			s := random(rnd, 100)
			if i < 300 {
				copy(s.Sketch, base.Sketch[:2]) // the words of two bands
				s.Simhash = s.Simhash&^0xffff | base.Simhash&0xffff
			}
			if i%100 == 7 {
				s = nearby(rnd, base, 10, 3)
			}
			if i%100 == 8 {
				s = nearby(rnd, base, 100, 64)
				s.Exact = base.Exact
			}
			if (signature.Rule{}).Duplicates(s, base) {
				want[n] = append(want[n], i)
			}
			columns[n].Set(i, s)
		}
	}
	for kind := range 4 { // with tables and without
		var tables []*table.Frozen
		for n, c := range columns {
			f := table.Freeze(c, nil, nil)
			if kind>>n&1 == 0 {
				f = f.Keyed(signature.Rule{}, table.Plan{})
			}
			tables = append(tables, f)
		}
		for _, tt := range []struct{ most, passed int }{{700, 0}, {500, 3}} {
			passed, got := guarded(base, tt.most, tables...)
			if passed != tt.passed {
				t.Errorf("%d, at most %d: %d keys were passed over, want %d", kind, tt.most, passed, tt.passed)
			}
			for n := range got {
				if slices.Sort(got[n]); !slices.Equal(got[n], want[n]) {
					t.Errorf("%d, at most %d: near are %v, want %v", kind, tt.most, got[n], want[n])
				}
			}
		}
		if passed, got := guarded(base, 0, tables...); passed != 15 || len(got[0]) != 4 || len(got[1]) != 4 {
			t.Errorf("%d, all keys but the exact hash passed over: got %d, %v", kind, passed, got)
		}
	}
}

// Where bands are short a document is looked at if it shares two of them. One of these is passed over, and the other
// is enough then.
func TestGuardShortBands(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(35, 36))
	rule := signature.Rule{Lanes: 67, Mode: signature.SketchOnly} // 35 bands
	base := random(rnd, 100)
	c := table.NewColumn(400)
	for i := range 399 {
		s := random(rnd, 100)
		s.Sketch[0] = base.Sketch[0]&0xffff | s.Sketch[0]&^0xffff // the first band
		c.Set(i, s)
	}
	near := random(rnd, 100)
	copy(near.Sketch, base.Sketch)
	for i := 2; i < 35; i++ {
		begin, _ := sketch.Bounds(100, 35, i)
		near.Sketch[begin/8] ^= 1 << (begin % 8 * 8)
	}
	c.Set(399, near)
	for _, f := range []*table.Frozen{table.Freeze(c, nil, nil).Keyed(rule, table.Plan{}), table.Freeze(c, nil, nil)} {
		var p table.Probe
		p.Prepare(rule, table.Plan{}, base, 0)
		for _, tt := range []struct{ most, passed int }{{400, 0}, {300, 1}, {400, 0}} {
			var got []int
			passed := p.Guard(tt.most, f)
			f.Near(&p, func(i int) bool {
				got = append(got, i)
				return true
			})
			if passed != tt.passed || !slices.Equal(got, []int{399}) {
				t.Errorf("at most %d: %d keys passed over, near are %v, want %d and 399 alone", tt.most, passed, got, tt.passed)
			}
		}
	}
}

// Everything that the guard lets through is found once and meets the rule. If no key is
// skipped, nothing is missed. Without tables it is the same.
func TestGuardTells(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(33, 34))
	c := table.NewColumn(2000)
	var all []*signature.Signature
	for i := range 2000 {
		s := random(rnd, 100)
		if i > 0 && rnd.IntN(3) > 0 {
			s = nearby(rnd, all[rnd.IntN(min(i, 5))], rnd.IntN(12), rnd.IntN(6))
		}
		c.Set(i, s)
		all = append(all, s)
	}
	f, bare := table.Freeze(c, nil, nil).Keyed(signature.Rule{}, table.Plan{}), table.Freeze(c, nil, nil)
	less := 0
	for _, s := range all[:200] {
		want := near(t, f, signature.Rule{}, table.Plan{}, s, 0)
		for _, most := range []int{0, 1, 10, 100, 300, 500} {
			passed, got := guarded(s, most, f)
			found := slices.Sorted(slices.Values(got[0]))
			if without, same := guarded(s, most, bare); without != passed || !slices.Equal(same[0], found) {
				t.Fatalf("at most %d: without tables %d keys are passed over and %v found, want %d and %v", most, without, same[0], passed, found)
			}
			if len(slices.Compact(slices.Clone(found))) != len(found) {
				t.Fatalf("at most %d: some were yielded more than once", most)
			}
			for _, i := range found {
				if !slices.Contains(want, i) {
					t.Fatalf("at most %d: %d is not near", most, i)
				}
			}
			if len(found) < len(want) {
				less++
				if passed == 0 {
					t.Fatalf("at most %d: %d of %d found, and no key was passed over", most, len(found), len(want))
				}
			}
		}
	}
	if less == 0 {
		t.Error("the guard left nothing out: this test shows little")
	}
}
