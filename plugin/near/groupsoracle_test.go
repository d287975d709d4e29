package near_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// page is a document of the tests.
type page struct {
	id, body, scope string
	rank            float64
	n               int // in the oracle
	sig             signature.Signature
}

func newPage(id, body string) page {
	return page{id: id, body: body, sig: signature.Of(signature.DefaultParams(), []byte(body))}
}

func newGroupedMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	m.DefaultMapping.Properties["body"].Fields = m.DefaultMapping.Properties["body"].Fields[1:] // no need to search it
	scope := bleve.NewTextFieldMapping()
	scope.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("scope", scope)
	m.DefaultMapping.AddFieldMappingsAt("rank", bleve.NewNumericFieldMapping())
	return m
}

// newGroupedIndex returns an index of pages, written size at a time.
func newGroupedIndex(t testing.TB, pages []page, size int) bleve.Index {
	t.Helper()
	x, err := plugin.New("", newGroupedMapping())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for chunk := range slices.Chunk(pages, size) {
		write(t, x, chunk)
	}
	return x
}

func write(t testing.TB, x bleve.Index, pages []page) {
	batch := x.NewBatch()
	for _, p := range pages {
		if err := batch.Index(p.id, map[string]any{"body": p.body, "scope": p.scope, "rank": p.rank}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
}

// groupedOracle lists groups by comparing all pairs.
type groupedOracle struct {
	pages  []page
	rule   signature.Rule
	verify signature.Verify
	near   [][]bool                          // of pages by their numbers, whatever their scope
	member func(head, other int) near.Member // likewise
}

func newGroupedOracle(pages []page, rule signature.Rule) *groupedOracle {
	return newOracleBy(pages, groupedOracle{rule: rule, member: func(i, j int) (m near.Member) {
		m.Match, _ = rule.Match(&pages[i].sig, &pages[j].sig)
		r, _ := pages[i].sig.Resemblance(&pages[j].sig)
		m.Resemblance = r.Value
		return m
	}}, func(i, j int) bool { return neartest.Duplicates(rule, &pages[i].sig, &pages[j].sig) })
}

func newOracleBy(pages []page, o groupedOracle, duplicates func(i, j int) bool) *groupedOracle {
	o.pages, o.near = slices.Clone(pages), make([][]bool, len(pages))
	for i := range o.pages {
		o.pages[i].n = i
		o.near[i] = make([]bool, len(pages))
		for j := range i {
			o.near[i][j] = duplicates(i, j)
			o.near[j][i] = o.near[i][j]
		}
	}
	return &o
}

// groups lists them; order is nil for the default.
func (o *groupedOracle) groups(by near.By, scoped bool, least int, order func(a, b page) int) (all []near.Group) {
	pages := slices.Clone(o.pages)
	slices.SortFunc(pages, func(a, b page) int {
		c := 0
		if order != nil {
			c = order(a, b)
		}
		return cmp.Or(c, cmp.Compare(b.sig.Tokens, a.sig.Tokens), cmp.Compare(a.id, b.id))
	})
	within := func(i, j int) bool {
		return o.near[pages[i].n][pages[j].n] && (!scoped || pages[i].scope == pages[j].scope)
	}
	component := make([]int, len(pages)) // the least position of each
	leader := make([]int, len(pages))
	for i := range pages {
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
	for i, p := range pages {
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
	for i := range pages {
		if len(members[i]) >= least {
			heads = append(heads, i)
		}
	}
	slices.SortStableFunc(heads, func(i, j int) int {
		a, b := keys[component[i]], keys[component[j]]
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.exact, b.exact), cmp.Compare(a.id, b.id))
	})
	for _, h := range heads {
		c := near.Group{Head: told(pages[h])}
		for _, i := range members[h][1:] {
			m := o.member(pages[h].n, pages[i].n)
			m.Document = told(pages[i])
			c.Members = append(c.Members, m)
		}
		all = append(all, c)
	}
	return all
}

func told(p page) near.Document { return near.Document{ID: p.id, Tokens: p.sig.Tokens} }

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

// hold compares Of with the oracle, and returns the number of documents that are no
// heads.
func (o *groupedOracle) hold(t *testing.T, x bleve.Index, options near.GroupsOptions, order func(a, b page) int) (members int) {
	t.Helper()
	least := options.MinSize
	if least == 0 {
		least = 2
	}
	options.Rule, options.Verify = o.rule, o.verify
	want := o.groups(options.By, len(options.Within) > 0, least, order)
	groups := near.Groups(context.Background(), x, options)
	if _, ok := x.(bleve.IndexAlias); ok {
		groups = unnamed(groups)
	}
	got := collect(t, groups)
	for i := range max(len(want), len(got)) {
		w, g := "none", "none"
		if i < len(want) {
			w = line(want[i])
			members += len(want[i].Members)
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

func corpus(docs []neartest.Doc) (pages []page) {
	for _, d := range docs {
		pages = append(pages, newPage(d.ID, d.Text))
	}
	return pages
}

func TestCorpora(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"", "docs-versions/docs.jsonl.gz", "licenses/spdx_npm.jsonl.gz", "licenses/project_files.jsonl.gz"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			most, batch := 1300, 350
			if testing.Short() {
				most, batch = 500, 140
			}
			var pages []page
			if set == "" {
				docs := neartest.Shipped(t)
				pages = corpus(docs[:min(len(docs), most)])
			} else {
				pages = corpus(neartest.FirstDocs(t, set, most))
			}
			x := newGroupedIndex(t, pages, batch)
			o := newGroupedOracle(pages, signature.Rule{})
			for _, by := range []near.By{near.Leaders, near.Components} {
				members := o.hold(t, x, near.GroupsOptions{By: by}, nil)
				t.Logf("%s: %d of %d are members", by, members, len(pages))
				if members < len(pages)/20 {
					t.Errorf("%s: %d of %d are members: this test shows little", by, members, len(pages))
				}
			}
		})
	}
}

// families returns pages of families that were edited again and again, some of them in
// other scopes, and pages without text.
func families(rnd *rand.Rand, n int) (pages []page) {
	word := func() string { return fmt.Sprint("w", rnd.IntN(5000)) }
	for len(pages) < n {
		var words []string
		for range 5 + rnd.IntN(150) {
			words = append(words, word())
		}
		if rnd.IntN(20) == 0 {
			words = nil
		}
		for range 1 + rnd.IntN(12)*rnd.IntN(2) {
			words = slices.Clone(words)
			if len(words) > 0 && rnd.IntN(3) > 0 {
				words[rnd.IntN(len(words))] = word()
			}
			p := newPage(fmt.Sprint("p", len(pages)), strings.Join(words, " "))
			p.scope, p.rank = fmt.Sprint("s", rnd.IntN(2)), float64(rnd.IntN(4))
			pages = append(pages, p)
		}
	}
	return pages
}

// within names one field, or none.
func within(field string) []string {
	if field == "" {
		return nil
	}
	return []string{field}
}
