package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// newest shows the newest hit of each group.
var newest = search.SortOrder{&search.SortField{Field: "version", Desc: true, Type: search.SortFieldAsNumber}}

// checkHeads compares pages with Head with the pages without it, which have other oracles: each
// group is the same set of hits in the same place, and shows the newest of them.
func checkHeads(t *testing.T, x bleve.Index, r *bleve.SearchRequest, o collapse.Options, docs map[string]page) (moved int64) {
	t.Helper()
	plain, headed := o, o
	headed.Head = newest
	page := *r
	page.Fields = []string{"version", signature.Field(signature.DefaultField).Sketch()}
	page.AddFacet("projects", bleve.NewFacetRequest("project", 100))
	projects := map[string]int{} // of the hits that are shown
	for {
		want, err := collapse.Search(context.Background(), x, &page, plain)
		if err != nil {
			t.Fatal(err)
		}
		got, err := collapse.Search(context.Background(), x, &page, headed)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Next, want.Next) || got.TotalGroups != want.TotalGroups || got.TotalGroupsRelation != want.TotalGroupsRelation ||
			got.Hidden != want.Hidden || got.Total != want.Total || len(got.Groups) != len(want.Groups) || len(got.Earlier) != len(want.Earlier) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		for i, g := range want.Groups {
			ids := append(group{g.Head.ID}, memberIDs(g)...)
			best := slices.MinFunc(ids, func(a, b string) int {
				if n := int(docs[b].Version - docs[a].Version); n != 0 {
					return n
				}
				return strings.Compare(a, b)
			})
			if best != g.Head.ID {
				moved++
			}
			checkHead(t, got, i, ids, best, o, x)
			projects[docs[best].Project]++
			if got.Hits[i].Fields["version"] != docs[best].Version || got.Hits[i].Sort == nil || len(got.Hits[i].Sort) != len(want.Hits[i].Sort) {
				t.Fatalf("hit %+v", got.Hits[i])
			}
		}
		if page.From += page.Size; o.Whole && len(want.Hits) == page.Size {
			continue
		}
		if o.Whole {
			delete(projects, "") // has no term
			counted := map[string]int{}
			for _, term := range got.Facets["projects"].Terms.Terms() {
				counted[term.Term] = term.Count
			}
			if !maps.Equal(counted, projects) {
				t.Fatalf("%+v: facets are %v, want %v", o, counted, projects)
			}
		}
		if page.From = 0; want.Next == nil {
			return moved
		}
		plain.Cursor, headed.Cursor = want.Next, overTheWire(t, got.Next)
	}
}

// checkHead compares a group of these ids, the best-ranked first, with one that shows best.
func checkHead(t *testing.T, got *collapse.Result, i int, ids group, best string, o collapse.Options, x bleve.Index) {
	t.Helper()
	g := got.Groups[i]
	rest := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == best })
	if g.Head.ID != best || got.Hits[i].ID != best || !slices.Equal(memberIDs(g), rest) || (g.Stands != nil) != (best != ids[0]) || g.Stands != nil && g.Stands.ID != ids[0] {
		t.Fatalf("group %d shows %s, stands for %v, has %q; want %s of %q", i, g.Head.ID, g.Stands, memberIDs(g), best, ids)
	}
	sigs := map[string]rankedHit{}
	all := bleve.NewSearchRequestOptions(bleve.NewDocIDQuery(ids), len(ids), 0, false)
	for _, hit := range rank(t, x, all).hits {
		if sigs[hit.ID] = hit; hit.sig == nil {
			sigs[hit.ID] = rankedHit{DocumentMatch: hit.DocumentMatch}
		}
	}
	for _, m := range g.Members {
		near := (o.By == nil || o.By.Or) && near(o, sigs[best], sigs[m.ID])
		if near != (m.By != 0) || m.Hit == nil {
			t.Fatalf("member %+v of %s: near-duplicate %v", m, best, near)
		}
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	var asked, moved atomic.Int64
	t.Cleanup(func() {
		if n := moved.Load(); n < 20 {
			t.Errorf("%d heads are not the best-ranked, want 20 or more for a test", n)
		}
	})
	docs := fieldDocs(6, 30)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		p := docs[id]
		p.Version = float64(i * 7 % 10)
		docs[id] = p
	}
	one := newMappedIndex(t, withFields(newMapping("")), docs)
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = one
	for name, x := range all {
		for n := range 4 {
			o := drawOptions(rand.New(rand.NewPCG(uint64(n), 11)))
			o.Visible = 0
			if n == 0 {
				o = collapse.Options{}
			}
			t.Run(fmt.Sprint(name, " ", asText(o)), func(t *testing.T) {
				t.Parallel()
				r := byID(bleve.NewMatchAllQuery())
				r.Size = 12
				moved.Add(checkHeads(t, x, r, o, docs))
				if o.Whole = true; name == "one" || name == "plain" || name == "local" {
					moved.Add(checkHeads(t, x, r, o, docs))
				}
			})
		}
	}
}

func TestHeadWrong(t *testing.T) {
	t.Parallel()
	x := newIndex(t, nil)
	keyed := byID(bleve.NewMatchAllQuery())
	keyed.SearchAfter = []string{"a"}
	for want, tt := range map[string]struct {
		r *bleve.SearchRequest
		o collapse.Options
	}{
		"head cannot be combined with visible":      {byID(bleve.NewMatchAllQuery()), collapse.Options{Head: newest, Visible: 2}},
		"head cannot be combined with search_after": {keyed, collapse.Options{Head: newest, Whole: true}},
	} {
		if _, err := collapse.Search(context.Background(), x, tt.r, tt.o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
