package near_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// groupsOracle lists groups by comparing all pairs.
type groupsOracle struct {
	texts []*text
	pairs [][]compared // of texts by their numbers, whatever their values
}

func newGroupsOracle(texts []*text, rule signature.Rule, v signature.Verify) *groupsOracle {
	o := &groupsOracle{texts: texts, pairs: make([][]compared, len(texts))}
	for i, a := range texts {
		a.n = i
		o.pairs[i] = make([]compared, len(texts))
		for j, b := range texts[:i] {
			c := compareInGroup(rule, v, b, a)
			o.pairs[i][j], o.pairs[j][i] = c, c
		}
	}
	return o
}

// compareInGroup compares two texts. Where the rule does not propose them, texts are not compared.
func compareInGroup(rule signature.Rule, v signature.Verify, a, b *text) compared {
	stored := a.stored && b.stored
	c, proposes := compare(rule, v, a, b, stored), rule
	if v.Resemblance > 0 {
		proposes.Lanes = min(90, lanesOf(v.Resemblance))
	}
	if c.verified && !neartest.Duplicates(proposes, &a.sig, &b.sig) {
		c = compare(rule, signature.Verify{}, a, b, false)
		c.near, c.By = false, 0
	}
	return c
}

// groups lists them; order is nil for the default.
func (o *groupsOracle) groups(by near.By, names []string, least int, order func(a, b *text) int) (all []near.Group) {
	texts := slices.Clone(o.texts)
	slices.SortFunc(texts, func(a, b *text) int {
		c := 0
		if order != nil {
			c = order(a, b)
		}
		return cmp.Or(c, cmp.Compare(b.sig.Tokens, a.sig.Tokens), cmp.Compare(a.id, b.id))
	})
	within := func(i, j int) bool {
		return o.pairs[texts[i].n][texts[j].n].near && texts[i].equal(texts[j], names)
	}
	component := make([]int, len(texts)) // the least position of each
	leader := make([]int, len(texts))
	for i := range texts {
		component[i], leader[i] = i, i
		for j := range i {
			if !within(i, j) {
				continue
			}
			if leader[i] == i && leader[j] == j {
				leader[i] = j
			}
			from, to := max(component[i], component[j]), min(component[i], component[j])
			for k := range i + 1 {
				if component[k] == from {
					component[k] = to
				}
			}
		}
	}
	of := leader
	if by == near.Components {
		of = component
	}
	type keyed struct {
		size, first int
		exact       uint64
		id          string
	}
	keys := map[int]*keyed{} // of components
	members := map[int][]int{}
	for i, p := range texts {
		k := keys[component[i]]
		if k == nil {
			k = &keyed{first: component[i], exact: p.sig.Exact, id: p.id}
			keys[component[i]] = k
		}
		k.size++
		k.exact, k.id = min(k.exact, p.sig.Exact), min(k.id, p.id)
		members[of[i]] = append(members[of[i]], i)
	}
	var heads []int
	for i := range texts {
		if len(members[i]) >= least {
			heads = append(heads, i)
		}
	}
	slices.SortStableFunc(heads, func(i, j int) int {
		a, b := keys[component[i]], keys[component[j]]
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.exact, b.exact), cmp.Compare(a.id, b.id))
	})
	for _, h := range heads {
		c := near.Group{Head: told(texts[h])}
		for _, i := range members[h][1:] {
			p := o.pairs[texts[h].n][texts[i].n]
			c.Members = append(c.Members, near.Member{Document: told(texts[i]), Match: p.Match, Resemblance: p.share.Value, Verified: p.verified})
		}
		all = append(all, c)
	}
	return all
}

func told(x *text) near.Document { return near.Document{ID: x.id, Tokens: x.sig.Tokens} }

// collect returns groups as text, one each.
func collect(t testing.TB, all iter.Seq2[near.Group, error]) (lines []string) {
	t.Helper()
	for c, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line(c))
	}
	return lines
}

// unnamed takes the names of indexes out of groups.
func unnamed(all iter.Seq2[near.Group, error]) iter.Seq2[near.Group, error] {
	return func(yield func(near.Group, error) bool) {
		for c, err := range all {
			c.Head.Index = ""
			for i := range c.Members {
				c.Members[i].Index = ""
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

func line(c near.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v:", c.Head)
	for _, m := range c.Members {
		fmt.Fprintf(&b, " %+v", m)
	}
	return b.String()
}

// hold compares Groups with the oracle, and returns the number of documents that are no heads.
func (o *groupsOracle) hold(t *testing.T, x bleve.Index, options near.GroupsOptions, order func(a, b *text) int) (members int) {
	t.Helper()
	least := options.MinSize
	if least == 0 {
		least = 2
	}
	var want []string
	for _, g := range o.groups(options.By, options.Within, least, order) {
		want = append(want, line(g))
		members += len(g.Members)
	}
	got := collect(t, unnamed(near.Groups(t.Context(), x, options)))
	for i := range max(len(want), len(got)) {
		w, g := "none", "none"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			t.Fatalf("%+v: group %d of %d, want %d:\n got %s\nwant %s", options, i, len(got), len(want), g, w)
		}
	}
	return members
}

// Groups are those of loops over all pairs, whatever the options: in one index, in one that was written in another
// order, in other batches, with documents written twice and others deleted, and in an alias.
func TestGroups(t *testing.T) {
	t.Parallel()
	members, confirmed := 0, 0
	for seed := range uint64(2) {
		rnd := rand.New(rand.NewPCG(1, seed))
		all := relatives(rnd, 200)
		one, many, halves := indexed(t, rnd, all)
		indexes := []bleve.Index{one, many, bleve.NewIndexAlias(halves[0], bleve.NewIndexAlias(halves[1])), bleve.NewIndexAlias(one)}
		for _, o := range []near.GroupsOptions{
			{},
			{Rule: rules[0]},
			{Rule: rules[1]},
			{Rule: rules[2]},
			{Verify: signature.Verify{Resemblance: .8}},
			{Verify: signature.Verify{Contained: true}},
			{Verify: signature.Verify{Resemblance: .9, Contained: true}},
		} {
			oracle := newGroupsOracle(all, o.Rule, o.Verify)
			for _, g := range oracle.groups(near.Leaders, nil, 2, nil) {
				confirmed += len(slices.DeleteFunc(g.Members, func(m near.Member) bool { return !m.Verified || m.Agree >= 90 }))
			}
			for range fewer(20, 8) {
				o.By, o.MinSize, o.Within = []near.By{"", near.Leaders, near.Components}[rnd.IntN(3)], []int{0, 1, 4}[rnd.IntN(3)], nil
				if rnd.IntN(2) == 0 {
					o.Within = fieldsOfTexts[rnd.IntN(len(fieldsOfTexts))]
				}
				var order func(a, b *text) int
				switch rnd.IntN(5) {
				case 0:
					o.Order, order = []string{"_id"}, func(a, b *text) int { return cmp.Compare(a.id, b.id) }
				case 1:
					o.Order, order = []string{"-_id"}, func(a, b *text) int { return cmp.Compare(b.id, a.id) }
				case 2:
					o.Order, order = []string{"rank"}, func(a, b *text) int { return cmp.Compare(a.rank, b.rank) }
				case 3:
					o.Order, order = []string{"-rank", "-_id"}, func(a, b *text) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.id, a.id)) }
				default:
					o.Order = nil
				}
				members += oracle.hold(t, indexes[rnd.IntN(len(indexes))], o, order)
			}
		}
		for g, err := range near.Groups(t.Context(), indexes[2], near.GroupsOptions{}) {
			if err != nil || g.Head.Index != "left" && g.Head.Index != "right" {
				t.Fatalf("got %+v, %v", g, err)
			}
		}
	}
	if members < 2000 || confirmed < 20 {
		t.Errorf("%d members, %d by texts alone: this test shows little", members, confirmed)
	}
	if got := collect(t, near.Groups(t.Context(), bleve.NewIndexAlias(), near.GroupsOptions{})); len(got) != 0 {
		t.Errorf("an alias of nothing has groups %q", got)
	}
}

// Groups of real texts, of which most are copies of copies.
func TestCorpora(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"", "licenses/spdx_npm.jsonl.gz"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			docs := neartest.Shipped(t)
			if set != "" {
				docs = neartest.FirstDocs(t, set, 400)
			}
			var all []*text
			write, x := map[string]any{}, newValued(t, "")
			for _, d := range docs[:min(len(docs), 400)] {
				all = append(all, &text{id: d.ID, sig: signature.Of(signature.DefaultParams(), []byte(d.Text))})
				write[d.ID] = map[string]any{"more": d.Text}
			}
			put(t, x, write)
			o := newGroupsOracle(all, signature.Rule{}, signature.Verify{})
			for _, by := range []near.By{near.Leaders, near.Components} {
				if members := o.hold(t, x, near.GroupsOptions{By: by}, nil); members < len(all)/20 {
					t.Errorf("%s: %d of %d are members: this test shows little", by, members, len(all))
				}
			}
		})
	}
}

// someGroups makes an index of texts in families.
func someGroups(t testing.TB, seed uint64, n int) bleve.Index {
	t.Helper()
	x, docs := newValued(t, ""), map[string]any{}
	for _, d := range relatives(rand.New(rand.NewPCG(seed, seed)), n) {
		docs[d.id] = d.doc()
	}
	put(t, x, docs)
	return x
}

func TestGroupsErrors(t *testing.T) {
	t.Parallel()
	x := someGroups(t, 7, 20)
	plain, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	closed := newValued(t, "closed")
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
		{nil, x, near.GroupsOptions{Within: []string{"a", "a"}}, `got "a" twice`},
		{nil, x, near.GroupsOptions{Within: []string{""}}, "got an empty"},
		{nil, x, near.GroupsOptions{Verify: signature.Verify{Resemblance: 7}}, "verify: resemblance: wanted 0.3 to 1, or 0, got 7"},
		{nil, x, near.GroupsOptions{Within: []string{"scop"}}, `near: within: wanted a field of the mapping, one of ["body" "date" "kept" "neardup" "price" "public" "rank" "tags" "tenant"], got "scop"`},
		{nil, x, near.GroupsOptions{Order: []string{"_id", "-rang"}}, `near: order: wanted a field of the mapping, one of ["body" "date" "kept" "neardup" "price" "public" "rank" "tags" "tenant"], got "rang"`},
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
	x := someGroups(t, 9, 400)
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
