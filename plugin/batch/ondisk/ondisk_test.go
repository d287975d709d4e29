package ondisk_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

// params returns the parameters that random signatures of k lanes claim.
func params(k int) signature.Params {
	p := signature.DefaultParams()
	p.Lanes = k
	return p
}

// document is a signature with an id.
type document struct {
	id  string
	sig *signature.Signature
}

// ids holds the Params.ID for numbers of lanes, since each takes a microsecond.
var ids = map[int]uint32{16: params(16).ID(), 17: params(17).ID(), 64: params(64).ID(), 100: params(100).ID()}

func random(rnd *rand.Rand, k int) *signature.Signature {
	s := &signature.Signature{
		Params: ids[k], Exact: rnd.Uint64() | 1, Simhash: rnd.Uint64() | 1,
		Tokens: 100 + rnd.Uint64N(5), Shingles: 90, Lanes: k, Sketch: make(sketch.Sketch, sketch.Words(k)),
	}
	for i := range s.Sketch {
		s.Sketch[i] = rnd.Uint64()
	}
	for i := k; i%4 != 0; i++ {
		s.Sketch[i/8] &^= 0xff << (i % 8 * 8)
	}
	return s
}

// edited returns a copy of s with some lanes and bits changed.
func edited(rnd *rand.Rand, s *signature.Signature, lanes, bits int) *signature.Signature {
	c := *s
	c.Sketch = slices.Clone(s.Sketch)
	c.Exact = rnd.Uint64() | 1
	c.Tokens = 100 + rnd.Uint64N(5)
	if lanes > 0 {
		for _, lane := range rnd.Perm(s.Lanes)[:lanes] {
			c.Sketch[lane/8] ^= 1 << (lane%8*8 + rnd.IntN(8))
		}
	}
	if bits > 0 {
		for _, bit := range rnd.Perm(64)[:bits] {
			c.Simhash ^= 1 << bit
		}
	}
	return &c
}

// mixed returns a rule and n documents: families that just meet it, families that just do
// not, equal documents, short and empty ones.
func mixed(rnd *rand.Rand, n int) (signature.Rule, int, []document) {
	k := []int{16, 17, 64, 100}[rnd.IntN(4)]
	rule := signature.Rule{
		Lanes:    []int{0, 0, k / 2, k - 1, k}[rnd.IntN(5)],
		Hamming:  []int{-1, 1, 0, 3, 5, 8, 12}[rnd.IntN(7)],
		Mode:     []signature.Mode{"", signature.Either, signature.Both, signature.SketchOnly, signature.SimhashOnly, signature.ExactOnly}[rnd.IntN(6)],
		MinWords: []int{0, -1, 102}[rnd.IntN(3)],
	}
	var all []document
	for i := range n {
		var base *signature.Signature
		if i > 0 {
			base = all[rnd.IntN(i)].sig
		}
		var s *signature.Signature
		switch {
		case rnd.IntN(20) == 0:
			s = &signature.Signature{Params: params(k).ID(), Exact: 1 + rnd.Uint64N(3), Tokens: 2}
		case rnd.IntN(30) == 0:
			s = &signature.Signature{}
		case base == nil || base.Lanes == 0 || rnd.IntN(4) == 0:
			s = random(rnd, k)
		case rnd.IntN(5) == 0:
			s = base
		default:
			s = edited(rnd, base, min(k, max(0, k-rule.Need(k, 0)+rnd.IntN(3)-1)), min(64, max(0, rule.Bits()+rnd.IntN(3)-1)))
			if rnd.IntN(10) == 0 {
				s.Exact = base.Exact
			}
			if rnd.IntN(20) == 0 {
				s.Simhash = 0
			}
		}
		all = append(all, document{fmt.Sprint("d", rnd.IntN(1000), "-", i), s})
	}
	return rule, k, all
}

// naive returns the groups as lines "head member member", sorted, and the ids to keep, by
// comparing all pairs.
func naive(rule signature.Rule, by ondisk.By, all []document) (groups, keep []string) {
	of := make([]int, len(all))
	for i := range of {
		of[i] = i
	}
	for i := range all {
		for j := range i {
			if of[i] != of[j] && neartest.Duplicates(rule, all[i].sig, all[j].sig) {
				from, to := of[i], of[j]
				for k := range of {
					if of[k] == from {
						of[k] = to
					}
				}
			}
		}
	}
	components := map[int][]document{}
	for i, root := range of {
		components[root] = append(components[root], all[i])
	}
	head := map[string]bool{}
	for _, own := range components {
		slices.SortFunc(own, func(a, b document) int {
			if a.sig.Tokens != b.sig.Tokens {
				return int(b.sig.Tokens) - int(a.sig.Tokens)
			}
			return strings.Compare(a.id, b.id)
		})
		var leaders [][]document
	next:
		for _, d := range own {
			for i := range leaders {
				if by == ondisk.Components || neartest.Duplicates(rule, leaders[i][0].sig, d.sig) {
					leaders[i] = append(leaders[i], d)
					continue next
				}
			}
			leaders = append(leaders, []document{d})
		}
		for _, l := range leaders {
			head[l[0].id] = true
			if len(l) > 1 {
				var ids []string
				for _, d := range l {
					ids = append(ids, d.id)
				}
				groups = append(groups, strings.Join(ids, " "))
			}
		}
	}
	for _, d := range all {
		if head[d.id] {
			keep = append(keep, d.id)
		}
	}
	slices.Sort(groups)
	return groups, keep
}

// results reads the result of a job, in the form of naive.
func results(t *testing.T, j *ondisk.Job) (groups, keep []string) {
	t.Helper()
	for g, err := range j.Groups() {
		if err != nil {
			t.Fatal(err)
		}
		groups = append(groups, strings.Join(append([]string{g.Head}, g.Members...), " "))
	}
	for id, err := range j.Keep() {
		if err != nil {
			t.Fatal(err)
		}
		keep = append(keep, id)
	}
	slices.Sort(groups)
	return groups, keep
}

// hold compares the result of a job with the naive groups.
func hold(t *testing.T, j *ondisk.Job, rule signature.Rule, by ondisk.By, all []document) (members int) {
	t.Helper()
	groups, keep := naive(rule, by, all)
	holdTo(t, j, fmt.Sprintf("%+v, %s, %d documents", rule, by, len(all)), groups, keep)
	return len(all) - len(keep)
}

// holdTo compares the result of a job with groups that are already known.
func holdTo(t *testing.T, j *ondisk.Job, what string, wantGroups, wantKeep []string) {
	t.Helper()
	groups, keep := results(t, j)
	if !slices.Equal(groups, wantGroups) {
		t.Fatalf("%s: got groups\n%s\nwant\n%s", what, strings.Join(groups, "\n"), strings.Join(wantGroups, "\n"))
	}
	if !slices.Equal(keep, wantKeep) {
		t.Fatalf("%s: got to keep %v, want %v", what, keep, wantKeep)
	}
}

func open(t *testing.T, dir string, k int, rule signature.Rule, by ondisk.By) *ondisk.Job {
	t.Helper()
	j, err := ondisk.Open(dir, ondisk.Options{Params: params(k), Rule: rule, By: by, Memory: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func add(t *testing.T, j *ondisk.Job, all []document) {
	t.Helper()
	for _, d := range all[j.Len():] {
		if err := j.Add(d.id, d.sig); err != nil {
			t.Fatal(err)
		}
	}
}

var ways = []ondisk.By{ondisk.Leaders, ondisk.Components}

// run runs a job with runs of so many rows, or as many more as there are in the largest bucket.
func run(t *testing.T, j *ondisk.Job, rows int) ondisk.Result {
	t.Helper()
	for ; ; rows *= 2 {
		j.Small(rows)
		r, err := j.Run(context.Background())
		if err != nil && strings.Contains(err.Error(), "needs more than") {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// Runs of a few rows, and documents that are added after a run.
func TestRun(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	few := 50
	if testing.Short() {
		few = 15
	}
	members := 0
	for range few {
		rule, k, all := mixed(rnd, rnd.IntN(250))
		by := ways[rnd.IntN(2)]
		j := open(t, t.TempDir(), k, rule, by)
		if some := rnd.IntN(len(all) + 1); some%2 == 0 {
			add(t, j, all[:some])
			run(t, j, 10)
			hold(t, j, rule, by, all[:some])
		}
		add(t, j, all)
		got := run(t, j, 10+rnd.IntN(100))
		n := hold(t, j, rule, by, all)
		if int(got.Dropped) != n || int(got.Documents) != len(all) {
			t.Errorf("got %+v, want %d dropped of %d", got, n, len(all))
		}
		members += n
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	if members < few*20 {
		t.Errorf("%d members in %d rounds: this test shows little", members, few)
	}
}

// Large families, in which an outline rejects most pairs, and simhashes that share most
// bits with hundreds that are not near.
func TestLargeFamilies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	rule := signature.Rule{}
	base := random(rnd, 100)
	var all []document
	for i := range 600 {
		s := edited(rnd, base, rnd.IntN(16), rnd.IntN(12))
		if i%3 == 0 {
			s = edited(rnd, random(rnd, 100), 0, 0)
			s.Simhash = base.Simhash ^ rnd.Uint64()&0x0000_0fff_ffff
		}
		all = append(all, document{fmt.Sprint(i), s})
	}
	for i := range 300 {
		all = append(all, document{fmt.Sprint("equal", i), base})
	}
	for _, by := range ways {
		groups, keep := naive(rule, by, all)
		j := open(t, t.TempDir(), 100, rule, by)
		add(t, j, all)
		run(t, j, 30)
		holdTo(t, j, string(by), groups, keep)
		j.Close()
	}
}
