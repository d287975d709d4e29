package near_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Random families by all options; the same from an index that was written in another
// order, in other batches, with documents written twice and others deleted.
func TestFamilies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	strict := signature.Rule{Mode: signature.SketchOnly, Lanes: 97}
	members := 0
	for range 3 {
		pages := families(rnd, 200)
		one := newGroupedIndex(t, pages, 50)
		other := newGroupedIndex(t, families(rnd, 40)[:40], 7)
		shuffled := slices.Clone(pages)
		rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for chunk := range slices.Chunk(shuffled, 40) {
			earlier := slices.Clone(chunk)
			for i := range earlier {
				earlier[i].body = pages[i].body
			}
			write(t, other, earlier)
		}
		for chunk := range slices.Chunk(shuffled, 23) {
			write(t, other, chunk)
		}
		pages = pages[:180]
		for _, p := range shuffled {
			if slices.ContainsFunc(pages, func(q page) bool { return p.id == q.id }) {
				continue
			}
			for _, x := range []bleve.Index{one, other} {
				if err := x.Delete(p.id); err != nil {
					t.Fatal(err)
				}
			}
		}
		oracles := []*groupedOracle{newGroupedOracle(pages, signature.Rule{}), newGroupedOracle(pages, strict)}
		for _, by := range []near.By{"", near.Leaders, near.Components} {
			for _, scope := range []string{"", "scope"} {
				for _, least := range []int{0, 1, 4} {
					for _, o := range oracles {
						options := near.GroupsOptions{By: by, Within: within(scope), MinSize: least}
						members += o.hold(t, one, options, nil)
						o.hold(t, other, options, nil)
					}
				}
			}
		}
	}
	if members < 2000 {
		t.Errorf("%d members: this test shows little", members)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	pages := families(rand.New(rand.NewPCG(3, 4)), 200)
	x := newGroupedIndex(t, pages, 60)
	o := newGroupedOracle(pages, signature.Rule{})
	for _, tt := range []struct {
		order []string
		by    func(a, b page) int
	}{
		{[]string{"_id"}, func(a, b page) int { return cmp.Compare(a.id, b.id) }},
		{[]string{"-_id"}, func(a, b page) int { return cmp.Compare(b.id, a.id) }},
		{[]string{"rank"}, func(a, b page) int { return cmp.Compare(a.rank, b.rank) }},
		{[]string{"-rank", "scope"}, func(a, b page) int {
			return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.scope, b.scope))
		}},
	} {
		for _, by := range []near.By{near.Leaders, near.Components} {
			o.hold(t, x, near.GroupsOptions{By: by, Order: tt.order}, tt.by)
		}
	}
}

// An alias of several indexes has the groups of one index of all documents.
func TestAlias(t *testing.T) {
	t.Parallel()
	pages := families(rand.New(rand.NewPCG(5, 6)), 240)
	one := newGroupedIndex(t, pages, 1000)
	var parts []bleve.Index
	for n := range 3 {
		var own []page
		for i, p := range pages {
			if i%3 == n {
				own = append(own, p)
			}
		}
		x := newGroupedIndex(t, own, 30)
		x.SetName("part " + string(rune('a'+n)))
		parts = append(parts, x)
	}
	alias := bleve.NewIndexAlias(parts[0], bleve.NewIndexAlias(parts[1:]...))
	for _, by := range []near.By{near.Leaders, near.Components} {
		o := near.GroupsOptions{By: by, Within: within("scope")}
		want := collect(t, near.Groups(context.Background(), one, o))
		for c, err := range near.Groups(context.Background(), alias, o) {
			if err != nil || !strings.HasPrefix(c.Head.Index, "part ") {
				t.Fatalf("got %+v, %v", c, err)
			}
		}
		if got := collect(t, unnamed(near.Groups(context.Background(), alias, o))); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", by, got, want)
		}
	}
	if got := collect(t, near.Groups(context.Background(), bleve.NewIndexAlias(one), near.GroupsOptions{})); len(got) == 0 {
		t.Error("an alias of one index has no groups")
	}
	if got := collect(t, near.Groups(context.Background(), bleve.NewIndexAlias(), near.GroupsOptions{})); len(got) != 0 {
		t.Errorf("an alias of nothing has groups %q", got)
	}
}

func TestGroupsErrors(t *testing.T) {
	t.Parallel()
	x := newGroupedIndex(t, families(rand.New(rand.NewPCG(7, 8)), 20), 20)
	plain, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	closed, err := plugin.New("", newGroupedMapping())
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		ctx   context.Context
		index bleve.Index
		o     near.GroupsOptions
		want  string
	}{
		{done, x, near.GroupsOptions{}, "context canceled"},
		{nil, plain, near.GroupsOptions{}, "without signatures: backfill makes one of it"},
		{nil, bleve.NewIndexAlias(x, plain), near.GroupsOptions{}, "without signatures: backfill makes one of it"},
		{nil, closed, near.GroupsOptions{}, "closed"},
		{nil, bleve.NewIndexAlias(x, groupedRemote{x}), near.GroupsOptions{}, "in this process, got a near_test.groupedRemote: far away"},
		{nil, x, near.GroupsOptions{By: "chains"}, `by: wanted "leaders" or "components", got "chains"`},
		{nil, x, near.GroupsOptions{MinSize: -1}, "min_size"},
		{nil, x, near.GroupsOptions{Order: []string{"_score"}}, "order"},
		{nil, x, near.GroupsOptions{Order: []string{"-"}}, "order"},
		{nil, x, near.GroupsOptions{Rule: signature.Rule{Hamming: 65}}, "near: rule: hamming"},
		{nil, x, near.GroupsOptions{Within: []string{"scop"}}, `near: within: wanted a field of the mapping, one of ["neardup" "rank" "scope"], got "scop"`},
		{nil, x, near.GroupsOptions{Order: []string{"_id", "-rang"}}, `near: order: wanted a field of the mapping, one of ["neardup" "rank" "scope"], got "rang"`},
	} {
		if tt.ctx == nil {
			tt.ctx = context.Background()
		}
		var errs []error
		for c, err := range near.Groups(tt.ctx, tt.index, tt.o) {
			if err == nil {
				t.Errorf("%+v: got %+v", tt.o, c)
			}
			errs = append(errs, err)
		}
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), tt.want) {
			t.Errorf("%+v: got errors %v, want one with %q", tt.o, errs, tt.want)
		}
	}
}

// What is told of progress only grows, and ends with all; a context that is done
// ends the iteration wherever it is.
func TestProgress(t *testing.T) {
	t.Parallel()
	x := newGroupedIndex(t, families(rand.New(rand.NewPCG(9, 10)), 400), 100)
	calls := 0
	last, end := -1, 0
	o := near.GroupsOptions{Progress: func(done, total int) {
		if calls++; done < last || done > total {
			t.Errorf("%d of %d is done after %d", done, total, last)
		}
		last, end = done, total
	}}
	want := len(collect(t, near.Groups(context.Background(), x, o)))
	if last != end || end < 1200 || calls < 10 || calls > 310 {
		t.Errorf("%d of %d was done at the end, after %d calls", last, end, calls)
	}
	for at := range calls {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		o := near.GroupsOptions{Progress: func(int, int) {
			if n++; n == at+1 {
				cancel()
			}
		}}
		got := 0
		var last error
		for _, err := range near.Groups(ctx, x, o) {
			if last = err; err == nil {
				got++
			}
		}
		if at < calls-1 && (!errors.Is(last, context.Canceled) || got >= want) {
			t.Errorf("cancelled at call %d: %d groups, and %v", at, got, last)
		}
		cancel()
	}
}

// groupedRemote is an index without an inner one.
type groupedRemote struct{ groupedInner }

type groupedInner = bleve.Index

func (groupedRemote) Advanced() (index.Index, error) { return nil, errors.New("far away") }
