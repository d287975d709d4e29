package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// checkComplete compares the groups of all pages with the oracle's: each has all its members that
// match, in rank order, and with Head shows the newest of them. It returns how many members rank
// after the page of their head, which only a lookup finds.
func checkComplete(t *testing.T, x bleve.Index, r *bleve.SearchRequest, o collapse.Options, docs map[string]page, byCursor bool) (later int64) {
	t.Helper()
	want := oracle(t, x, r, o)
	o.Complete = true
	o.InnerHits = []collapse.InnerHits{{Name: "all", Size: 100}}
	at := 0
	for one := *r; ; {
		got, err := collapse.Search(context.Background(), x, &one, o)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Complete || got.Earlier != nil {
			t.Fatalf("page at %d: complete %v, %d groups of earlier pages", at, got.Complete, len(got.Earlier))
		}
		taken := map[string]bool{}
		plain := o
		plain.Complete, plain.Head = false, nil
		met, err := collapse.Search(context.Background(), x, &one, plain)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range met.Groups {
			for _, m := range g.Members {
				taken[m.ID] = true
			}
		}
		for i, g := range got.Groups {
			ids := want.groups[at+i]
			if best := newestOf(ids, docs); len(o.Head) > 0 {
				checkHead(t, got, i, ids, best, o, x)
			} else {
				checkMembers(t, g, ids, want)
			}
			for _, id := range ids[1:] {
				if !taken[id] {
					later++
				}
			}
			inner := g.InnerHits["all"]
			if inner.Total != len(ids)-1 || len(inner.Hits) != inner.Total || inner.TotalRelation != bleve.TotalRelationEq {
				t.Fatalf("group of %s: %d inner hits of %d %s, wanted all %d", g.Head.ID, len(inner.Hits), inner.Total, inner.TotalRelation, len(ids)-1)
			}
		}
		at += len(got.Groups)
		if got.Next == nil {
			break
		}
		if byCursor {
			o.Cursor = overTheWire(t, got.Next)
		} else {
			one.From += one.Size
		}
	}
	if at != len(want.groups) {
		t.Fatalf("%d groups on all pages, wanted %d", at, len(want.groups))
	}
	return later
}

func checkMembers(t *testing.T, g collapse.Group, ids group, want truth) {
	t.Helper()
	if g.Head.ID != ids[0] || !slices.Equal(memberIDs(g), ids[1:]) {
		t.Fatalf("got %s with %q, wanted %q", g.Head.ID, memberIDs(g), ids)
	}
	for i := range g.Members {
		m := &g.Members[i]
		if got, want := toldOf(m), want.members[m.ID]; got != want {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		if m.Hit.Fields != nil || m.Hit.Index != m.Index {
			t.Fatalf("hit %+v", m.Hit)
		}
	}
}

func newestOf(ids group, docs map[string]page) string {
	return slices.MinFunc(ids, func(a, b string) int {
		if n := int(docs[b].Version - docs[a].Version); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
}

// versioned are fieldDocs that differ in their version.
func versioned(seed uint64, families int) map[string]page {
	docs := fieldDocs(seed, families)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		p := docs[id]
		p.Version = float64(i * 7 % 10)
		docs[id] = p
	}
	return docs
}

func TestComplete(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	t.Cleanup(func() {
		if n := later.Load(); n < 100 {
			t.Errorf("%d members rank after the page of their head, wanted 100 or more for a test", n)
		}
	})
	docs := versioned(16, 60)
	alias := bleve.NewIndexAlias(partsOf(t, 3, docs)...)
	for name, x := range map[string]bleve.Index{
		"one": newMappedIndex(t, withFields(newMapping("")), docs), "alias": alias, "nested": bleve.NewIndexAlias(alias),
	} {
		for n := range 10 {
			rnd := rand.New(rand.NewPCG(uint64(n), 12))
			o := drawOptions(rnd)
			if o.Visible = 0; o.By != nil {
				o.By.Most = 0
			}
			if o.Missing == collapse.GroupMissing {
				o.Missing = ""
			}
			if n%2 == 0 {
				o.Head = newest
			}
			match := bleve.NewMatchQuery("common")
			match.SetField("body")
			r := bleve.NewSearchRequest(match)
			if by := [][]string{nil, {"_id"}, {"-version", "_id"}}[n%3]; by != nil {
				r.SortBy(by)
			}
			r.Size = 4 + n
			t.Run(fmt.Sprint(name, " ", asText(o)), func(t *testing.T) {
				t.Parallel()
				later.Add(checkComplete(t, x, r, o, docs, true))
				later.Add(checkComplete(t, x, r, o, docs, false))
			})
		}
	}
}

// Pages of one document a project, the newest, show what the whole form shows, however few hits a page meets.
func TestNewestOfEach(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	rnd := rand.New(rand.NewPCG(19, 1))
	for i := range 300 {
		docs[fmt.Sprintf("d%03d", i)] = page{Body: fmt.Sprint("release ", i), Project: fmt.Sprint(rnd.IntN(40)), Version: float64(rnd.IntN(1000))}
	}
	for name, x := range map[string]bleve.Index{"one": newIndex(t, docs), "alias": bleve.NewIndexAlias(partsOf(t, 3, docs)...)} {
		for _, size := range []int{1, 7, 1000} {
			o := collapse.Options{By: &collapse.By{Field: "project"}, Head: newest}
			shown := func(o collapse.Options, size int) (ids []string) {
				for r := byID(bleve.NewMatchAllQuery()); ; {
					r.Size = size
					res, err := collapse.Search(t.Context(), x, r, o)
					if err != nil || !res.Complete {
						t.Fatalf("%s, pages of %d: complete %v, error %v", name, size, res != nil && res.Complete, err)
					}
					for _, hit := range res.Hits {
						ids = append(ids, hit.ID)
					}
					if o.Cursor = res.Next; res.Next == nil {
						return ids
					}
				}
			}
			whole := o
			whole.Whole, whole.Complete, o.Complete = true, true, true
			want, got := shown(whole, 1000), shown(o, size)
			if len(want) != 40 || !slices.Equal(got, want) {
				t.Errorf("%s, pages of %d: got %q, wanted %q", name, size, got, want)
			}
		}
	}
}

// Where members cannot be looked up, or are too many, the result says so, and is as it would be
// without the option. The whole form is complete.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	docs := versioned(17, 60)
	parts := partsOf(t, 3, docs)
	one := newMappedIndex(t, withFields(newMapping("")), docs)
	family := newIndex(t, copies(rand.New(rand.NewPCG(18, 1)), 60))
	plain, err := bleve.NewMemOnly(withFields(bleve.NewIndexMapping()))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	remote := remotely(parts[2])
	for name, tt := range map[string]struct {
		x    bleve.Index
		size int
		o    collapse.Options
		want bool
	}{
		"remote":        {remote, 4, collapse.Options{}, false},
		"mixed":         {bleve.NewIndexAlias(parts[0], parts[1], remote), 4, collapse.Options{}, false},
		"plain":         {bleve.NewIndexAlias(one, plain), 4, collapse.Options{Missing: collapse.KeepMissing}, false},
		"all of remote": {remote, 1000, collapse.Options{}, true},
		"several heads": {one, 4, collapse.Options{By: &collapse.By{Field: "word", Or: true, Most: 2}}, false},
		"key":           {one, 4, collapse.Options{By: &collapse.By{Field: "word", Or: true}}, true},
		"remote key":    {remote, 4, collapse.Options{By: &collapse.By{Field: "word"}}, false},
		"keyless":       {one, 1, collapse.Options{By: &collapse.By{Field: "word"}, Missing: collapse.GroupMissing}, false},
		"many of a key": {one, 1, collapse.Options{By: &collapse.By{Field: "word"}, Missing: collapse.DropMissing, Budget: 4}, false},
		"bare":          {one, 4, collapse.Options{Missing: collapse.GroupMissing}, false},
		"no hits":       {one, 0, collapse.Options{}, true},
		"too many":      {family, 1, collapse.Options{Budget: 2}, false},
		"whole":         {one, 4, collapse.Options{Whole: true}, true},
	} {
		r := byID(bleve.NewMatchAllQuery())
		r.Size = tt.size
		want, err := collapse.Search(context.Background(), tt.x, r, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		tt.o.Complete = true
		got, err := collapse.Search(context.Background(), tt.x, r, tt.o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Complete != tt.want || want.Complete {
			t.Errorf("%s: complete %v, and %v without the option; wanted %v", name, got.Complete, want.Complete, tt.want)
		}
		if got.Complete {
			continue
		}
		got.Took, want.Took = 0, 0
		for i, g := range want.Groups {
			if !slices.Equal(memberIDs(got.Groups[i]), memberIDs(g)) {
				t.Errorf("%s: group %d has %q, wanted %q", name, i, memberIDs(got.Groups[i]), memberIDs(g))
			}
		}
	}
	for _, o := range []collapse.Options{{Complete: true, Visible: 2}, {Complete: true, Visible: -1}} {
		if _, err := collapse.Search(context.Background(), one, byID(bleve.NewMatchAllQuery()), o); !errors.Is(err, collapse.ErrRequest) {
			t.Errorf("%+v: got error %v", o, err)
		}
	}
}
