package collapse_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// named is a document of a member of an alias: others can have the same id.
func named(index, id string) string { return index + "/" + id }

// groupsBy puts all pages of a search together, by name.
func groupsBy(t *testing.T, x bleve.Index, r bleve.SearchRequest, o collapse.Options, size int, byCursor bool) (all []group) {
	t.Helper()
	for r.Size = size; ; r.From += size {
		res, err := collapse.Search(t.Context(), x, &r, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range res.Groups {
			if g.Head != (collapse.Ref{Index: res.Hits[i].Index, ID: res.Hits[i].ID}) {
				t.Fatalf("hit %s has the group of %+v", named(res.Hits[i].Index, res.Hits[i].ID), g.Head)
			}
			all = append(all, group{named(g.Head.Index, g.Head.ID)})
		}
		for _, g := range slices.Concat(res.Earlier, res.Groups) {
			at := slices.IndexFunc(all, func(of group) bool { return of[0] == named(g.Head.Index, g.Head.ID) })
			for _, m := range g.Members {
				all[at] = append(all[at], named(m.Index, m.ID))
			}
		}
		if byCursor && res.Next == nil || !byCursor && len(res.Hits) == 0 {
			return all
		}
		if byCursor {
			r.From, o.Cursor = -size, overTheWire(t, res.Next)
		}
	}
}

// Members of an alias can have different documents of the same ids. They tie, and come in the order of the names of
// their indexes: each is shown once, under its own head, as plain loops say.
func TestSameIDs(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(211, 212))
	var texts []string
	for range 12 {
		var words []string
		for range 60 {
			words = append(words, fmt.Sprint("w", rnd.IntN(1000)))
		}
		texts = append(texts, strings.Join(words, " "))
	}
	for name, id := range map[string]func(i int) string{
		"short": func(i int) string { return fmt.Sprint("s", i) },
		"long":  func(i int) string { return strings.Repeat(string(rune('a'+i)), 700) },
		"bytes": func(i int) string { return string([]rune{0, rune(i * 12)}) },
		"runes": func(i int) string {
			return "x" + string([]rune{0xe000 + rune(i), 0xe000 - rune(i%2)*0x801}[i%2]) + strings.Repeat("\x00", i%3)
		},
	} {
		var members []bleve.Index
		var docs []ofMember
		for _, index := range []string{"b", "c", "a"} {
			of := map[string]page{}
			for i := range 14 {
				of[id(i)] = page{Body: texts[rnd.IntN(len(texts))], Version: float64(rnd.IntN(3)), Project: fmt.Sprint(i % 2)}
			}
			for id, p := range of {
				docs = append(docs, ofMember{index, id, p})
			}
			x := newIndex(t, of)
			x.SetName(index)
			members = append(members, x)
		}
		for kind, x := range map[string]bleve.Index{
			"alias":  bleve.NewIndexAlias(members...),
			"nested": bleve.NewIndexAlias(bleve.NewIndexAlias(members[0], members[1]), members[2]),
			"parts":  bleve.NewIndexAlias(remotely(members[0]), remotely(members[1]), remotely(members[2])),
			"mixed":  bleve.NewIndexAlias(remotely(members[0]), members[1], members[2]),
		} {
			for by, compare := range map[string]func(a, b ofMember) int{
				"_id":      func(a, b ofMember) int { return strings.Compare(a.id, b.id) },
				"-_id":     func(a, b ofMember) int { return strings.Compare(b.id, a.id) },
				"-version": func(a, b ofMember) int { return cmp.Compare(b.Version, a.Version) },
				"-_score":  func(a, b ofMember) int { return 0 },
			} {
				var want []group
				heads := map[string]int{} // by text
				for _, d := range slices.SortedFunc(slices.Values(docs), func(a, b ofMember) int {
					return cmp.Or(compare(a, b), strings.Compare(a.id, b.id), strings.Compare(a.index, b.index))
				}) {
					at, ok := heads[d.Body]
					if !ok {
						at, heads[d.Body] = len(want), len(want)
						want = append(want, nil)
					}
					want[at] = append(want[at], named(d.index, d.id))
				}
				r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
				r.SortBy([]string{by})
				for how, got := range map[string]func() []group{
					"by cursor":     func() []group { return groupsBy(t, x, *r, collapse.Options{}, 3, true) },
					"by from":       func() []group { return groupsBy(t, x, *r, collapse.Options{}, 3, false) },
					"with a budget": func() []group { return groupsBy(t, x, *r, collapse.Options{Budget: 7}, 3, true) },
					"whole":         func() []group { return groupsBy(t, x, *r, collapse.Options{Whole: true}, 5, false) },
				} {
					if how == "whole" && (kind == "parts" || kind == "mixed") {
						continue
					}
					if got := got(); !slices.EqualFunc(got, want, slices.Equal) {
						t.Fatalf("%s, %s, by %s, %s: got\n%.2000q, want\n%.2000q", name, kind, by, how, got, want)
					}
				}
			}
		}
	}
}

// ofMember is a page of a member.
type ofMember struct {
	index, id string
	page
}

// With Complete, the last page lists what belongs under heads of pages that could not be complete.
func TestLastPageOfIncomplete(t *testing.T) {
	t.Parallel()
	x := newMappedIndex(t, withFields(newMapping("")), fieldDocs(31, 40))
	r := byID(bleve.NewMatchAllQuery())
	for name, o := range map[string]collapse.Options{
		"key":  {Complete: true, By: &collapse.By{Field: "word", Or: true}},
		"near": {Complete: true},
	} {
		want := groupsBy(t, x, *r, o, 1000, true)
		for _, byCursor := range []bool{true, false} {
			if got := groupsBy(t, x, *r, o, 2, byCursor); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("%s, by cursor %v: got\n%.1000q, want\n%.1000q", name, byCursor, got, want)
			}
		}
	}
}
