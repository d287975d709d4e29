package table_test

import (
	"context"
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

// nearby returns a copy of s that differs in some lanes and bits of the simhash.
func nearby(rnd *rand.Rand, s *signature.Signature, lanes, hamming int) *signature.Signature {
	c := *s
	c.Exact = rnd.Uint64()
	c.Sketch = slices.Clone(s.Sketch)
	for _, i := range rnd.Perm(s.Lanes)[:lanes] {
		c.Sketch[i/8] ^= 1 << (rnd.IntN(8) + i%8*8)
	}
	for _, bit := range rnd.Perm(64)[:hamming] {
		c.Simhash ^= 1 << bit
	}
	return &c
}

var manualsOnce struct {
	sync.Once
	all []*signature.Signature
}

// manuals are the signatures of 400 of the shipped manuals.
func manuals(t *testing.T) []*signature.Signature {
	t.Helper()
	docs := neartest.Shipped(t)[:400]
	manualsOnce.Do(func() {
		for _, d := range docs {
			s := signature.Of(signature.DefaultParams(), []byte(d.Text))
			manualsOnce.all = append(manualsOnce.all, &s)
		}
	})
	return slices.Clone(manualsOnce.all)
}

// sizes are the sizes of a benchmark, with -short only those of at most 10,000.
func sizes(all ...int) []int {
	return slices.DeleteFunc(all, func(n int) bool { return testing.Short() && n > 10_000 })
}

// oracle is signatures, of which nil stands for none, perhaps with scopes, and what comparing all pairs says of them.
type oracle struct {
	*testing.T
	rule   signature.Rule
	all    []*signature.Signature
	scopes []uint64 // nil for one of all
	pairs  [][]bool // of each the earlier ones that it is near, and itself
	found  int      // pairs of different ones
}

func newOracle(t *testing.T, rule signature.Rule, all []*signature.Signature, scopes []uint64) *oracle {
	o := &oracle{T: t, rule: rule, all: all, scopes: scopes}
	for i, a := range all {
		row := make([]bool, i+1)
		for j, b := range all[:i+1] {
			if row[j] = a != nil && b != nil && neartest.Duplicates(rule, a, b); row[j] && i != j {
				o.found++
			}
		}
		o.pairs = append(o.pairs, row)
	}
	return o
}

// near reports whether two are near-duplicates, whatever their scopes.
func (o *oracle) near(i, j int) bool { return o.pairs[max(i, j)][min(i, j)] }

func (o *oracle) scope(i int) uint64 {
	if o.scopes == nil {
		return 0
	}
	return o.scopes[i]
}

// of returns those that are near one, in its scope.
func (o *oracle) of(n int) (near []int) {
	for i := range o.all {
		if o.near(n, i) && o.scope(n) == o.scope(i) {
			near = append(near, i)
		}
	}
	return near
}

// table holds a Table to which they are added one by one to the oracle. It has no scopes.
func (o *oracle) table() {
	o.Helper()
	tab := table.New(o.rule)
	var at []int // where those that it has stand among all
	for n, s := range o.all {
		if s == nil {
			continue
		}
		var want []int
		for i, j := range at {
			if o.near(n, j) {
				want = append(want, i)
			}
		}
		first := append(want, -1)[0]
		if got := tab.First(s); got != first {
			o.Fatalf("%+v: First of %d = %d, want %d", o.rule, n, got, first)
		}
		for range 2 {
			if got := slices.Collect(tab.Each(s)); !slices.Equal(got, want) {
				o.Fatalf("%+v: Each of %d = %v, want %v", o.rule, n, got, want)
			}
		}
		for i := range tab.Each(s) {
			if i != first {
				o.Fatalf("%+v: the first of %d is %d, want %d", o.rule, n, i, first)
			}
			break
		}
		tab.Add(s)
		at = append(at, n)
	}
	if tab.Len() != len(at) {
		o.Errorf("Len = %d, want %d", tab.Len(), len(at))
	}
}

// freeze returns a Frozen with tables and one without.
func (o *oracle) freeze(chosen table.Plan, groups []uint64) [2]*table.Frozen {
	c := table.NewColumn(len(o.all))
	for i, s := range o.all {
		c.Set(i, s)
	}
	bare := table.Freeze(c, o.scopes, groups)
	return [2]*table.Frozen{bare.Keyed(o.rule, chosen), bare}
}

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

// frozen holds a Frozen of all to the oracle.
func (o *oracle) frozen(chosen table.Plan) {
	o.Helper()
	both := o.freeze(chosen, nil)
	for n, s := range o.all {
		if s == nil {
			continue
		}
		for bare, f := range both {
			if got, want := near(o.T, f, o.rule, chosen, s, o.scope(n)), o.of(n); !slices.Equal(got, want) {
				o.Fatalf("%+v, %+v, %d: near %d are %v, want %v", o.rule, chosen, bare, n, got, want)
			}
		}
	}
}

// groups holds First to the oracle: it finds each group of the near-duplicates of a signature that has one that
// counts, and no other document. Members are all of a group.
func (o *oracle) groups(rnd *rand.Rand) {
	o.Helper()
	groups, counts := make([]uint64, len(o.all)), make([]bool, len(o.all))
	for i := range o.all {
		groups[i], counts[i] = uint64(rnd.IntN(4)), rnd.IntN(3) > 0
	}
	f := o.freeze(table.Plan{}, groups)[rnd.IntN(2)]
	for g := range uint64(5) {
		members := slices.Sorted(slices.Values(f.Members(g)))
		for i, group := range groups {
			if _, is := slices.BinarySearch(members, uint32(i)); is != (group == g) {
				o.Fatalf("group %d: got %v of %v", g, members, groups)
			}
		}
	}
	for n, s := range o.all {
		if s == nil {
			continue
		}
		var want, got [4]bool
		for _, i := range o.of(n) {
			want[groups[i]] = want[groups[i]] || counts[i] && groups[i] > 0
		}
		var p table.Probe
		p.Prepare(o.rule, table.Plan{}, s, o.scope(n))
		table.First([]*table.Frozen{f}, &p, func(_, i int) bool {
			if !slices.Contains(o.of(n), i) || groups[i] == 0 || f.Group(i) != groups[i] {
				o.Fatalf("it yields %d of group %d for %d", i, groups[i], n)
			}
			got[groups[i]] = got[groups[i]] || counts[i]
			return counts[i]
		})
		if want != got {
			o.Fatalf("%+v: groups of %d: got %v, want %v", o.rule, n, got, want)
		}
	}
}

// in returns the function by which Connect reads signatures.
func in(all []*signature.Signature) func(i int) (signature.Signature, bool) {
	return func(i int) (signature.Signature, bool) {
		if all[i] == nil {
			return signature.Signature{}, false
		}
		return *all[i], true
	}
}

// components are the least of those that a chain of pairs connects with each.
func (o *oracle) components(confirmed func(i, j int) bool) []uint32 {
	root := make([]uint32, len(o.all))
	for i := range root {
		root[i] = uint32(i)
		for _, j := range o.of(i) {
			if j >= i || !confirmed(i, j) {
				continue
			}
			from, to := max(root[i], root[j]), min(root[i], root[j])
			for k := range i + 1 {
				if root[k] == from {
					root[k] = to
				}
			}
		}
	}
	return root
}

// connect holds Connect and Leaders to the oracle, with pairs that are confirmed, equal ones too, or all. Nobody is
// asked of pairs that do not meet the rule, or are of different scopes. It returns how many are joined to another.
func (o *oracle) connect(confirmed func(i, j int) bool) (joined int) {
	o.Helper()
	ask := func(scoped bool) func(i, j int) bool {
		if confirmed == nil {
			return nil
		}
		return func(i, j int) bool {
			if i == j || !o.near(i, j) || scoped && o.scope(i) != o.scope(j) {
				o.Fatalf("asked of %d and %d, which are not proposed", i, j)
			}
			return confirmed(min(i, j), max(i, j))
		}
	}
	yes := func(i, j int) bool { return confirmed == nil || confirmed(min(i, j), max(i, j)) }
	last := -1.0
	got, err := table.Connect(context.Background(), o.rule, len(o.all), in(o.all), o.scopes, ask(true), func(part float64) {
		if part <= last || part >= 1 {
			o.Errorf("progress %v after %v", part, last)
		}
		last = part
	})
	if err != nil {
		o.Fatal(err)
	}
	if want := o.components(yes); !slices.Equal(got, want) {
		o.Fatalf("%+v: joined to %d, want %d", o.rule, got, want)
	}
	for i, r := range got {
		if uint32(i) != r {
			joined++
		}
	}
	if slices.Contains(o.all, nil) {
		return joined // Leaders takes signatures alone
	}
	var some []signature.Signature
	want := make([]int, len(o.all))
	for i, s := range o.all {
		some, want[i] = append(some, *s), i
		for j := range i {
			if want[j] == j && o.near(i, j) && yes(i, j) {
				want[i] = j
				break
			}
		}
	}
	leaders, err := table.Leaders(context.Background(), o.rule, some, ask(false))
	if err != nil || !slices.Equal(leaders, want) {
		o.Fatalf("%+v: leaders are %d, %v, want %d", o.rule, leaders, err, want)
	}
	return joined
}

// Families that just meet the rule and families that just do not, mixed with documents that have no signature, no
// token, no shingle, other parameters or other lanes, for rules and numbers of lanes of all kinds.
func TestAgainstOracle(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	pairs, joined, rejected := 0, 0, 0
	for round := range 120 {
		rule, all := mixed(rnd, []int{16, 17, 64, 100, 128, 200}, []int{-1, 0, 1, 3, 5, 6, 10, 12, 20, 64}, rnd.IntN(100))
		if round%2 == 0 {
			all = slices.DeleteFunc(all, func(s *signature.Signature) bool { return s == nil })
		}
		o := newOracle(t, rule, all, someScopes(rnd, len(all)))
		o.table()
		chosen := table.Plan{}
		if rule.Bits() <= 3 {
			chosen.Tables = []int{0, 4, 10, 16, 20}[rnd.IntN(5)]
		}
		o.frozen(chosen)
		o.groups(rnd)
		joined += o.connect(nil)
		salt, share := rnd.IntN(1<<20), 1+rnd.IntN(3)
		o.connect(func(i, j int) bool {
			yes := (i*7919+j*104_729+salt)%997%4 < share
			if !yes {
				rejected++
			}
			return yes
		})
		pairs += o.found
	}
	if min(pairs, joined, rejected) < 1000 {
		t.Errorf("%d pairs met a rule, %d were joined, %d not confirmed: this test shows little", pairs, joined, rejected)
	}
}

func TestRealText(t *testing.T) {
	t.Parallel()
	all := manuals(t)
	for _, rule := range []signature.Rule{{}, {Lanes: 60, LongLanes: 85, Mode: signature.SketchOnly}, {Hamming: 9, Mode: signature.Either}} {
		o := newOracle(t, rule, all, nil)
		o.table()
		o.frozen(table.Plan{})
		if joined := o.connect(nil); o.found < len(all)/2 || joined < len(all)/4 {
			t.Errorf("%+v: %d pairs, %d joined: this test shows little", rule, o.found, joined)
		}
	}
	o := newOracle(t, signature.Rule{}, all[:200], nil)
	for _, tables := range []int{10, 16, 20} {
		o.frozen(table.Plan{Bands: 20, Rows: 5, Tables: tables})
	}
}
