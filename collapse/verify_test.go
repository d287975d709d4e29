package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

// verifiable is a page of the tests of Verify: in the order of its id it comes before others.
type verifiable struct {
	id, body, tenant string
	family           int
	stored           bool
	sig              signature.Signature
	set              map[string]struct{}
}

func verifiables(rnd *rand.Rand, n int) (pages []verifiable) {
	word := 0
	fresh := func() string { word++; return fmt.Sprint("w", word) }
	var base []string
	for i := range n {
		if i%20 == 0 {
			base = nil
			for range 60 + rnd.IntN(200) {
				base = append(base, fresh())
			}
		}
		own := slices.Clone(base)
		switch rnd.IntN(8) {
		case 0:
			own = own[:len(own)*(60+rnd.IntN(40))/100]
		case 1:
			own = own[:1+rnd.IntN(5)]
		default:
			for range rnd.IntN(len(own) / 14) {
				own[rnd.IntN(len(own))] = fresh()
			}
		}
		p := verifiable{body: strings.Join(own, " "), tenant: fmt.Sprint("t", rnd.IntN(2)), family: i / 20, stored: rnd.IntN(6) > 0, set: neartest.Shingles(own, 4)}
		if len(own) < 4 {
			p.set = map[string]struct{}{p.body: {}}
		}
		p.sig = signature.Of(signature.DefaultParams(), []byte(p.body))
		pages = append(pages, p)
	}
	rnd.Shuffle(n, func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	for i := range pages {
		pages[i].id = fmt.Sprintf("%03d", i)
	}
	return pages
}

// near says what a member tells of the head, and whether it is one.
func (p *verifiable) near(head *verifiable, v signature.Verify) (m collapse.Member, near bool) {
	rule := signature.Rule{}
	both := 0
	for s := range p.set {
		if _, ok := head.set[s]; ok {
			both++
		}
	}
	if p.stored && head.stored {
		if v.Resemblance > 0 {
			rule.Lanes = min(90, v.Lanes(100))
		}
		m.Match, near = rule.Match(&head.sig, &p.sig)
		share := float64(both) / float64(len(p.set)+len(head.set)-both)
		near = near && (v.Resemblance > 0 && share >= v.Resemblance || v.Contained && both > 0 && both == min(len(p.set), len(head.set)))
		m.Verified, m.Overlap = true, new(collapse.Overlap)
		m.Overlap.Resemblance.Value, m.Overlap.InHead.Value, m.Overlap.OfHead.Value = share, float64(both)/float64(len(p.set)), float64(both)/float64(len(head.set))
		return m, near
	}
	m.Match, near = rule.Match(&head.sig, &p.sig)
	return m, near
}

// groupsOf are the groups of pages in the order of their ids, by comparison of all sets.
func groupsOf(pages []verifiable, v signature.Verify, within bool) (all []collapse.Group) {
	var heads []int
	for i := range pages {
		hidden := false
		for n, h := range heads {
			if pages[h].family != pages[i].family || within && pages[h].tenant != pages[i].tenant {
				continue // they have no word in common
			}
			if m, near := pages[i].near(&pages[h], v); near {
				m.ID = pages[i].id
				all[n].Members = append(all[n].Members, m)
				hidden = true
				break
			}
		}
		if !hidden {
			heads = append(heads, i)
			all = append(all, collapse.Group{Head: collapse.Ref{ID: pages[i].id}})
		}
	}
	return all
}

// afar is an index of which nothing but searches can be had.
type afar struct{ anyIndex }

type anyIndex = bleve.Index

func (afar) Mapping() mapping.IndexMapping      { return nil }
func (afar) Advanced() (index.Index, error)     { return nil, errors.New("afar") }
func (afar) GetInternal([]byte) ([]byte, error) { return nil, errors.New("afar") }

func (a afar) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return a.SearchInContext(context.Background(), r)
}

// With Verify a page has the groups that the sets of shingles say, of one index, of aliases and of
// remote members; and pages by From and by cursor have the heads of the whole.
func TestVerify(t *testing.T) {
	t.Parallel()
	pages := verifiables(rand.New(rand.NewPCG(41, 42)), size(100, 50))
	open := func(name string, from, step int) bleve.Index {
		m := bleve.NewIndexMapping()
		m.DefaultMapping = bleve.NewDocumentStaticMapping()
		plugin.AddSignature(m.DefaultMapping, "body")
		plugin.AddSignature(m.DefaultMapping, "hidden")
		m.DefaultMapping.Properties["hidden"].Fields = m.DefaultMapping.Properties["hidden"].Fields[1:] // not stored
		m.DefaultMapping.AddFieldMappingsAt("tenant", bleve.NewKeywordFieldMapping())
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(name)
		batch := x.NewBatch()
		for i := from; i < len(pages); i += step {
			doc := map[string]any{"body": pages[i].body, "tenant": pages[i].tenant}
			if !pages[i].stored {
				doc = map[string]any{"hidden": pages[i].body, "tenant": pages[i].tenant}
			}
			if err := batch.Index(pages[i].id, doc); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
		return x
	}
	left, right := open("left", 0, 2), open("right", 1, 2)
	confirmed := 0
	for place, x := range map[string]bleve.Index{
		"one": open("one", 0, 1), "alias": bleve.NewIndexAlias(left, right), "nested": bleve.NewIndexAlias(left, bleve.NewIndexAlias(right)),
	} {
		for _, v := range []signature.Verify{{Resemblance: .8}, {Contained: true}, {Resemblance: .9, Contained: true}} {
			for _, within := range []bool{false, true} {
				o := collapse.Options{Verify: v}
				if within {
					o.Within = []string{"tenant"}
				}
				want := groupsOf(pages, v, within)
				request := func(size, from int) *bleve.SearchRequest {
					r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), size, from, false)
					r.Sort = search.ParseSortOrderStrings([]string{"_id"})
					return r
				}
				whole, err := collapse.Search(context.Background(), x, request(1000, 0), o)
				if err != nil {
					t.Fatal(err)
				}
				confirmed += holdVerified(t, fmt.Sprintf("%s, %+v", place, o), whole.Groups, want)
				var byFrom, byCursor []string
				for from := 0; from < len(want); from += 9 {
					r, err := collapse.Search(context.Background(), x, request(9, from), o)
					if err != nil {
						t.Fatal(err)
					}
					for _, g := range r.Groups {
						byFrom = append(byFrom, g.Head.ID)
					}
				}
				for paged := o; ; {
					r, err := collapse.Search(context.Background(), x, request(25, 0), paged)
					if err != nil {
						t.Fatal(err)
					}
					for _, g := range r.Groups {
						byCursor = append(byCursor, g.Head.ID)
					}
					if paged.Cursor = r.Next; r.Next == nil {
						break
					}
				}
				var heads []string
				for _, g := range want {
					heads = append(heads, g.Head.ID)
				}
				if !slices.Equal(byFrom, heads) || !slices.Equal(byCursor, heads) {
					t.Fatalf("%s, %+v: heads are %q by from and %q by cursor, want %q", place, o, byFrom, byCursor, heads)
				}
				o.Whole = true
				checkVerifiedWhole(t, x, o, want, len(pages))
			}
		}
	}
	if confirmed < 45 {
		t.Errorf("%d members by texts alone: this test shows little", confirmed)
	}
}

// checkVerifiedWhole compares all pages of the whole form, by From and by key, with what is known to be right.
func checkVerifiedWhole(t *testing.T, x bleve.Index, o collapse.Options, want []collapse.Group, all int) {
	t.Helper()
	for _, size := range []int{1000, 10, 9} {
		r := byID(bleve.NewMatchAllQuery())
		r.Size = size
		r.AddFacet("tenants", bleve.NewFacetRequest("tenant", 5))
		for at := 0; at < len(want); at += size {
			res, err := collapse.Search(context.Background(), x, r, o)
			if err != nil {
				t.Fatal(err)
			}
			of := want[at:min(at+size, len(want))]
			holdVerified(t, fmt.Sprintf("whole, %+v", o), res.Groups, of)
			if res.Total != uint64(len(want)) || res.TotalGroups != len(want) || res.TotalGroupsRelation != bleve.TotalRelationEq || res.Hidden != all-len(want) || res.Facets["tenants"].Total != len(want) {
				t.Fatalf("%+v: total %d, %d groups %s, %d hidden, facet of %d; want %d eq", o, res.Total, res.TotalGroups, res.TotalGroupsRelation, res.Hidden, res.Facets["tenants"].Total, len(want))
			}
			if r.From += size; size > 9 {
				continue
			}
			r.From, r.SearchAfter = 0, []string{of[len(of)-1].Head.ID}
		}
	}
}

// holdVerified compares groups in full, and returns how many members texts alone confirm.
func holdVerified(t *testing.T, name string, got, want []collapse.Group) (confirmed int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d groups, want %d", name, len(got), len(want))
	}
	for i, g := range got {
		if g.Head.ID != want[i].Head.ID || len(g.Members) != len(want[i].Members) {
			t.Fatalf("%s: group %d is %+v, want %+v", name, i, g, want[i])
		}
		for k, m := range g.Members {
			w := want[i].Members[k]
			if m.ID != w.ID || m.Match != w.Match || m.Verified != w.Verified {
				t.Fatalf("%s: under %s: got %+v, want %+v", name, g.Head.ID, m, w)
			}
			if !m.Verified {
				continue
			}
			if m.Agree < 90 {
				confirmed++
			}
			for n, e := range []float64{m.Overlap.Resemblance.Value - w.Overlap.Resemblance.Value, m.Overlap.InHead.Value - w.Overlap.InHead.Value, m.Overlap.OfHead.Value - w.Overlap.OfHead.Value, m.Overlap.Resemblance.StdErr} {
				if math.Abs(e) > 1e-12 {
					t.Errorf("%s: %s under %s: share %d: got %+v, want %+v", name, m.ID, g.Head.ID, n, m.Overlap, w.Overlap)
				}
			}
		}
	}
	return confirmed
}

// With Head the members are compared with the hit that is shown.
func TestVerifyHead(t *testing.T) {
	t.Parallel()
	const text = "one night the quick brown fox jumps over the lazy dog while the cat looks on from the wall of the old garden behind the house"
	x, err := plugin.New("", func() mapping.IndexMapping {
		m := bleve.NewIndexMapping()
		plugin.AddSignature(m.DefaultMapping, "body")
		return m
	}())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for id, body := range map[string]string{"a": text, "b": text + " today", "c": text + " today in May"} {
		if err := x.Index(id, map[string]any{"body": body, "rank": len(body)}); err != nil {
			t.Fatal(err)
		}
	}
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.Sort = search.ParseSortOrderStrings([]string{"_id"})
	for _, whole := range []bool{false, true} {
		res, err := collapse.Search(context.Background(), x, r, collapse.Options{Whole: whole, Verify: signature.Verify{Resemblance: .85}, Head: search.ParseSortOrderStrings([]string{"-rank"})})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Groups) != 1 || res.Groups[0].Head.ID != "c" || len(res.Groups[0].Members) != 2 {
			t.Fatalf("got %+v", res.Groups)
		}
		for _, m := range res.Groups[0].Members {
			if want := map[string]float64{"a": 23. / 26, "b": 24. / 26}[m.ID]; !m.Verified || math.Abs(m.Overlap.Resemblance.Value-want) > 1e-12 || m.Overlap.InHead.Value != 1 {
				t.Errorf("%s: got %+v, want %v", m.ID, m.Overlap, want)
			}
		}
	}
}

func TestVerifyWrong(t *testing.T) {
	t.Parallel()
	mapping := bleve.NewIndexMapping()
	plugin.AddSignature(mapping.DefaultMapping, "body")
	x, err := plugin.New("", mapping)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	v := signature.Verify{Resemblance: .8}
	for want, o := range map[string]collapse.Options{
		"verify: resemblance: wanted 0.3 to 1, or 0, got 2": {Verify: signature.Verify{Resemblance: 2}},
		"verify cannot be combined with by unless or":       {Verify: v, By: &collapse.By{Field: "a"}},
	} {
		if _, err := collapse.Search(context.Background(), x, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	for _, far := range []bleve.Index{afar{x}, bleve.NewIndexAlias(x, afar{x})} {
		_, err := collapse.Search(t.Context(), far, byID(bleve.NewMatchAllQuery()), collapse.Options{Verify: v})
		if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "verify needs a local index") {
			t.Errorf("a remote index: got error %v", err)
		}
	}
}
