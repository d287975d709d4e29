package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// quoting is a document with its runs of words.
type quoting struct {
	page
	id, index string
	sig       signature.Signature
	words     int
	runs      []string
	has       map[string]bool
	least     int // words of a run
	shares    map[*quoting]float64
}

const quotedWords = 12

// excerpts are parts, copies and collections of one another.
func excerpts(t testing.TB, rnd *rand.Rand, n int) (all []*quoting) {
	t.Helper()
	docs := signaturetest.Shipped(t)
	part := func(words []string, most int) []string {
		from := rnd.IntN(len(words))
		return words[from:min(len(words), from+1+rnd.IntN(most))]
	}
	for i := range n {
		own := part(strings.Fields(docs[rnd.IntN(len(docs))].Text), 150)
		if i > 0 {
			other := strings.Fields(all[rnd.IntN(i)].Body)
			switch rnd.IntN(5) {
			case 0:
				own = part(other, 200)
			case 1:
				own = other
			case 2, 3:
				own = slices.Concat(own, other)
			}
		}
		p := page{Body: strings.Join(own[:min(len(own), 300)], " "), Project: []string{"", "a", "b"}[rnd.IntN(3)]}
		all = append(all, newQuoting(fmt.Sprintf("%03d", i*7919%n), p, quotedWords))
	}
	slices.SortFunc(all, func(a, b *quoting) int { return strings.Compare(a.id, b.id) })
	return all
}

// in is the share of q's words that stand in runs which another has.
func (q *quoting) in(other *quoting) float64 {
	if s, ok := q.shares[other]; ok {
		return s
	}
	in, n := make([]bool, q.words), 0
	for i, run := range q.runs {
		if other.has[run] {
			for k := range q.least {
				if !in[i+k] {
					n++
				}
				in[i+k] = true
			}
		}
	}
	q.shares[other] = float64(n) / float64(max(1, q.words))
	return q.shares[other]
}

func (q *quoting) ref() collapse.Ref { return collapse.Ref{Index: q.index, ID: q.id} }

// family is what the oracle says of a group.
type family struct {
	head    collapse.Ref
	stands  *collapse.Ref
	members []excerpt
}

type excerpt struct {
	ref            collapse.Ref
	near           bool
	inHead, ofHead float64
}

func familyOf(head *quoting, members []*quoting, near func(a, b *quoting) bool) (t family) {
	t.head = head.ref()
	for _, m := range members {
		t.members = append(t.members, excerpt{m.ref(), near(head, m), m.in(head), head.in(m)})
	}
	return t
}

// quotedGroups groups documents in rank order in plain loops.
func quotedGroups(all []*quoting, share float64, scoped bool) (groups []family) {
	near := func(a, b *quoting) bool { return signaturetest.Duplicates(signature.Rule{}, &a.sig, &b.sig) }
	var families [][]*quoting
next:
	for _, q := range all {
		for i, f := range families {
			head := f[0]
			if scoped && head.Project != q.Project {
				continue
			}
			if near(head, q) || max(q.in(head), head.in(q)) >= share {
				families[i] = append(f, q)
				continue next
			}
		}
		families = append(families, []*quoting{q})
	}
	for _, f := range families {
		best := 0
		for i, m := range f {
			if f[0].in(m) >= share && m.sig.Tokens > f[best].sig.Tokens {
				best = i
			}
		}
		head := f[best]
		g := familyOf(head, slices.Concat(f[:best], f[best+1:]), near)
		if best > 0 {
			ref := f[0].ref()
			g.stands = &ref
		}
		groups = append(groups, g)
	}
	return groups
}

func familiesOf(t *testing.T, groups []collapse.Group) (all []family) {
	t.Helper()
	for _, g := range groups {
		own := family{head: g.Head, stands: g.Stands}
		for _, m := range g.Members {
			one := excerpt{ref: m.Ref, near: m.By != 0}
			if c := m.Contained; c != nil {
				if !c.Verified || c.InHead.StdErr != 0 || c.OfHead.StdErr != 0 {
					t.Fatalf("got %+v", c)
				}
				one.inHead, one.ofHead = c.InHead.Value, c.OfHead.Value
			}
			own.members = append(own.members, one)
		}
		all = append(all, own)
	}
	return all
}

func quotedIndex(t testing.TB, stored bool, all []*quoting) bleve.Index {
	t.Helper()
	m := newMapping("")
	if err := m.AddCustomAnalyzer("quoted", map[string]any{"type": neardup.Name, "passages": quotedWords}); err != nil {
		t.Fatal(err)
	}
	body := bleve.NewTextFieldMapping()
	body.Store = stored
	m.DefaultMapping.Properties["body"].Fields = nil
	m.DefaultMapping.AddFieldMappingsAt("body", body, plugin.FieldMapping("quoted"))
	docs := map[string]page{}
	for _, q := range all {
		docs[q.id] = q.page
	}
	return newMappedIndex(t, m, docs)
}

// With Contained the groups are those of plain loops over all documents: the members, the shares, the head that is shown, and the rank at which
// the group stands; page by page with complete groups, in an index, in an alias, and in scopes.
func TestContained(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(41, 42))
	n := 90
	if testing.Short() {
		n = 50
	}
	all := excerpts(t, rnd, n)
	one := quotedIndex(t, true, all)
	a, b := quotedIndex(t, true, all[:40]), quotedIndex(t, true, all[40:])
	a.SetName("a")
	b.SetName("b")
	two := bleve.NewIndexAlias(a, b)
	r := func(size, from int) *bleve.SearchRequest {
		r := bleve.NewSearchRequestOptions(query.NewMatchAllQuery(), size, from, false)
		r.SortBy([]string{"_id"})
		r.Fields = []string{"body"}
		return r
	}
	promoted, folded := 0, 0
	for _, x := range []bleve.Index{one, two} {
		for i, q := range all {
			if q.index = ""; x == two {
				q.index = map[bool]string{true: "a", false: "b"}[i < 40]
			} else {
				q.index = one.Name()
			}
		}
		bodies := map[string]string{}
		for _, q := range all {
			bodies[q.id] = q.Body
		}
		for _, share := range []float64{1, .8, .4} {
			for _, within := range [][]string{nil, {"project"}} {
				want := quotedGroups(all, share, within != nil)
				for _, g := range want {
					if folded += len(g.members); g.stands != nil {
						promoted++
					}
				}
				o := collapse.Options{Contained: share, Within: within, Complete: true}
				for from := 0; from < len(want); from += 7 {
					for _, size := range []int{7, 1000} {
						if size == 1000 && from > 0 {
							continue
						}
						res, err := collapse.Search(t.Context(), x, r(size, from), o)
						if err != nil {
							t.Fatal(err)
						}
						got, page := familiesOf(t, res.Groups), want[from:min(len(want), from+size)]
						for i := range max(len(got), len(page)) {
							if i >= len(got) || i >= len(page) || !reflect.DeepEqual(got[i], page[i]) {
								t.Fatalf("share %v, within %q, from %d: group %d: got\n%+v\nwant\n%+v", share, within, from, i, got[min(i, len(got)):min(i+1, len(got))], page[min(i, len(page)):min(i+1, len(page))])
							}
							if hit := res.Hits[i]; hit.ID != page[i].head.ID || hit.Fields["body"] != bodies[hit.ID] || len(hit.Fields) != 1 {
								t.Fatalf("share %v: hit %d is %s with %d fields, want %s", share, i, hit.ID, len(hit.Fields), page[i].head.ID)
							}
						}
						if !res.Complete || len(res.Earlier) > 0 || res.PassedOver != 0 || (res.Next == nil) != (from+size >= len(want)) {
							t.Fatalf("share %v: complete is %v; %d earlier groups, %d passed over, next %v", share, res.Complete, len(res.Earlier), res.PassedOver, res.Next)
						}
					}
				}
			}
		}
	}
	if promoted < n/3 || folded < 3*n {
		t.Errorf("%d heads are others, %d hits fold: this test shows little", promoted, folded)
	}
}

// What is not stored is compared by what is selected; without Complete a page lists what it met; what many quote is passed over.
func TestContainedUnstored(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(43, 44))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%d ", rnd.IntN(1<<30))
		}
		return b.String()
	}
	mail, footer := words(60), words(30)
	docs := map[string]string{"a mail": mail, "b other": words(60), "c reply": words(20) + mail + words(20), "d reply": words(40) + mail + words(20)}
	for i := range 502 {
		docs[fmt.Sprintf("f%03d", i)] = footer + words(40)
	}
	var all []*quoting
	for id, body := range docs {
		all = append(all, &quoting{id: id, page: page{Body: body}})
	}
	x := quotedIndex(t, false, all)
	r := bleve.NewSearchRequestOptions(query.NewMatchAllQuery(), 3, 0, false)
	r.SortBy([]string{"_id"})
	res, err := collapse.Search(t.Context(), x, r, collapse.Options{Contained: .4})
	if err != nil {
		t.Fatal(err)
	}
	g := res.Groups[0]
	if len(res.Groups) != 3 || g.Head.ID != "d reply" || g.Stands == nil || g.Stands.ID != "a mail" || len(g.Members) != 2 || g.Members[1].ID != "c reply" {
		t.Errorf("got %+v", res.Groups)
	} else if c := g.Members[0].Contained; c == nil || c.Verified || c.InHead.Value != 1 || c.OfHead.Value >= 1 {
		t.Errorf("got %+v", c)
	}
	r.Size = 30
	if res, err = collapse.Search(t.Context(), x, r, collapse.Options{Contained: .2, Complete: true}); err != nil || res.PassedOver == 0 || res.Complete {
		t.Errorf("got %d groups, %d passed over, complete is %v, %v", len(res.Groups), res.PassedOver, res.Complete, err)
	}
}

func TestContainedWrong(t *testing.T) {
	t.Parallel()
	x := quotedIndex(t, true, []*quoting{{id: "a", page: page{Body: "a text"}}})
	r := bleve.NewSearchRequest(query.NewMatchAllQuery())
	for want, o := range map[string]collapse.Options{
		"contained: wanted 0 to 1, got 2":                     {Contained: 2},
		"contained: wanted 0 to 1, got -1":                    {Contained: -1},
		"contained cannot be combined with fields, diversify": {Contained: 1, By: &collapse.By{Field: "project"}},
		"contained cannot be combined with fields, diver":     {Contained: 1, Visible: 2},
		"whole cannot be combined with a cursor":              {Contained: 1, Whole: true, Cursor: &collapse.Cursor{}},
	} {
		if _, err := collapse.Search(t.Context(), x, r, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want %s", o, err, want)
		}
	}
	o := collapse.Options{Contained: 1}
	if _, err := collapse.Hits(nil, o); err == nil || !strings.Contains(err.Error(), "contained needs an index") {
		t.Errorf("got %v", err)
	}
	bare := newIndex(t, map[string]page{"a": {Body: "a text"}})
	for _, whole := range []bool{false, true} {
		o.Whole = whole
		if _, err := collapse.Search(context.Background(), bare, r, o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), `contained: field "neardup": wanted an analyzer with the option "passages", got one without`) {
			t.Errorf("whole is %v: got %v", whole, err)
		}
		if _, err := collapse.Search(t.Context(), remotePart{away{x, new(atomic.Int64)}}, r, o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "contained: wanted local indexes, got one that cannot be read here") {
			t.Errorf("whole is %v: of a remote index: got %v", whole, err)
		}
	}
	after := bleve.NewSearchRequest(query.NewMatchAllQuery())
	after.SortBy([]string{"_id"})
	after.SetSearchAfter([]string{"a"})
	if _, err := collapse.Search(t.Context(), x, after, o); err == nil || !strings.Contains(err.Error(), "contained cannot be combined with search_after") {
		t.Errorf("got %v", err)
	}
}
