package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Families of more near-duplicates than are compared, which overlap: a text drifts in small steps, and in the end is
// near members of many groups, by the model, whatever was merged, updated and deleted.
func TestGroupsOfFamilies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "index")
	x := newIndex(t, path)
	policy := admission.Policy{Group: true}
	setPolicy(t, x, policy)
	m := model{policy: policy, docs: map[string]entry{}}
	rnd := rand.New(rand.NewPCG(3, 3))
	drift := neartest.Drift{Rand: rnd, IDs: 160}
	kept, founded, far, many := 0, 0, 0, 0
	for round := range 50 {
		var pages []page
		var deletes []string
		ids := rnd.Perm(160)
		for _, n := range ids[:15] {
			id := fmt.Sprint("d", n)
			pages = append(pages, page{id: id, body: drift.Text(id)})
		}
		for _, n := range ids[15 : 15+rnd.IntN(4)] {
			deletes = append(deletes, fmt.Sprint("d", n))
		}
		b := x.NewBatch()
		for _, p := range pages {
			if err := b.Index(p.id, p.data()); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range deletes {
			b.Delete(id)
		}
		before := m.docs
		got, err := plugin.SubmitBatch(context.Background(), x, b)
		if err != nil {
			t.Fatal(err)
		}
		want := m.submit(pages, deletes)
		if !slices.EqualFunc(want, got, expected.is) {
			t.Fatalf("round %d: got %+v, want %+v", round, got, want)
		}
		if round%10 == 0 { // it was opened
			m.counts = nil
		}
		m.count(want)
		m.same(t, x)
		groups := map[string]int{}
		for _, e := range m.docs {
			groups[e.group]++
		}
		for _, v := range got {
			if v.Founded {
				founded++
			} else if old, there := before[v.ID]; there && old.group == v.Group && !duplicates(old.body, m.docs[v.ID].body) {
				kept++
			} else if there && old.group != v.Group {
				far++
			}
			if groups[v.Group] > 65 {
				many++
			}
		}
		if round%7 == 3 {
			if err := typed(x).ForceMerge(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
		}
		if round%10 == 9 {
			x = reopen(t, x, path, nil)
		}
	}
	if kept < 5 || founded < 15 || far < 20 || many < 20 {
		t.Errorf("%d kept by another member, %d founded, %d changed, %d into large groups: this test shows little", kept, founded, far, many)
	}
}

// A batch of many near-copies, of several groups.
func TestGroupsOfBatch(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	policy := admission.Policy{Group: true}
	setPolicy(t, x, policy)
	m := model{policy: policy, docs: map[string]entry{}}
	rnd := rand.New(rand.NewPCG(4, 4))
	for round := range 3 {
		var pages []page
		b := x.NewBatch()
		for n := range 150 {
			places := make([]bool, 13)
			for range rnd.IntN(4) {
				places[rnd.IntN(4)] = true
			}
			p := page{id: fmt.Sprintf("%d-%03d", round, n), body: neartest.Drifted(places)}
			pages = append(pages, p)
			if err := b.Index(p.id, p.data()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := plugin.SubmitBatch(context.Background(), x, b)
		if err != nil {
			t.Fatal(err)
		}
		if want := m.submit(pages, nil); !slices.EqualFunc(want, got, expected.is) {
			t.Fatalf("round %d: got %+v, want %+v", round, got, want)
		}
	}
}

// A new version of the founder's first text founds a group of another name while the old one has members.
func TestGroupOfFounderComesBack(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	setPolicy(t, x, admission.Policy{Group: true})
	places := func(n int) []bool {
		p := make([]bool, 13)
		for i := range n {
			p[i] = true
		}
		return p
	}
	write := func(id string, n int) admission.Verdict {
		return submit(t, x, page{id: id, body: neartest.Drifted(places(n))})
	}
	first := write("a", 0)
	if v := write("b", 1); v.Group != first.Group || v.Founded || !first.Founded {
		t.Fatal(first, v)
	}
	for n := 2; n <= 8; n++ { // step by step, so that both keep the name
		if a, b := write("a", n), write("b", n); a.Group != first.Group || b.Group != first.Group {
			t.Fatal(a, b)
		}
	}
	if err := x.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if v := write("a", 0); v.Group == first.Group || !v.Founded {
		t.Error("it has the name of a group that is not near", v)
	}
	if err := x.Delete("b"); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if v := write("a", 0); v.Group != first.Group || !v.Founded {
		t.Error("it does not have its own name", v)
	}
}

// Of more near-duplicates than are compared the least name of a group counts, whatever is nearest, in which order they
// were written, and what was merged; of fewer the nearest.
func TestGroupOfMany(t *testing.T) {
	t.Parallel()
	var texts [4]string // the outer ones are not near each other, all others are
	rnd := rand.New(rand.NewPCG(5, 5))
	for far := true; far; far = duplicates(texts[0], texts[3]) || !duplicates(texts[0], texts[1]) || !duplicates(texts[0], texts[2]) ||
		!duplicates(texts[3], texts[1]) || !duplicates(texts[3], texts[2]) {
		places := make([]bool, 13)
		for i := range texts {
			texts[i] = neartest.Drifted(places)
			places[rnd.IntN(13)] = true
		}
	}
	for _, tt := range []struct {
		first, last int // of texts
		copies      int
		join        [2]int // what the two texts between join
	}{{0, 3, 32, [2]int{0, 3}}, {3, 0, 32, [2]int{0, 3}}, {0, 3, 40, [2]int{-1, -1}}, {3, 0, 40, [2]int{-1, -1}}} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			t.Parallel()
			x := newIndex(t, filepath.Join(t.TempDir(), "x"))
			setPolicy(t, x, admission.Policy{Group: true})
			rnd := rand.New(rand.NewPCG(6, 6))
			groups := map[int]string{}
			for _, n := range []int{tt.first, tt.last} {
				for range 4 {
					b := x.NewBatch()
					for i := range tt.copies / 4 {
						if err := b.Index(fmt.Sprint(n, len(groups), b.Size(), i, rnd.Uint64()), page{body: texts[n]}.data()); err != nil {
							t.Fatal(err)
						}
					}
					all, err := plugin.SubmitBatch(context.Background(), x, b)
					if err != nil {
						t.Fatal(err)
					}
					groups[n] = all[0].Group
				}
			}
			groups[-1] = min(groups[0], groups[3])
			for _, merge := range []bool{false, true} {
				for i, join := range tt.join {
					if v := submit(t, x, page{id: "between", body: texts[1+i]}); v.Group != groups[join] || v.Founded {
						t.Errorf("merged %v, text %d: got %v, want one of %v", merge, 1+i, v, groups)
					}
					if err := x.Delete("between"); err != nil {
						t.Fatal(err)
					}
				}
				if err := typed(x).ForceMerge(context.Background(), nil); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
