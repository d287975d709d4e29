package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// places are the heads of a result, or of several, and their members.
type places struct {
	shown   []string // hits, in order
	members map[string]bool
}

func (p *places) add(res *collapse.Result) {
	name := func(r collapse.Ref) string { return r.Index + "/" + r.ID }
	for _, hit := range res.Hits {
		p.shown = append(p.shown, hit.Index+"/"+hit.ID)
	}
	for _, g := range slices.Concat(res.Earlier, res.Groups) {
		for _, m := range g.Members {
			p.members[name(g.Head)+" hides "+name(m.Ref)] = true
		}
	}
}

// pagesOf puts all pages of a search together.
func pagesOf(t *testing.T, x bleve.Index, r bleve.SearchRequest, o collapse.Options, size int, byCursor bool) (p places) {
	t.Helper()
	p.members = map[string]bool{}
	for r.Size = size; ; r.From += size {
		res, err := collapse.Search(t.Context(), x, &r, o)
		if err != nil {
			t.Fatal(err)
		}
		if p.add(res); byCursor && res.Next == nil || !byCursor && len(res.Hits) == 0 {
			return p
		}
		if byCursor {
			r.From, o.Cursor = -size, overTheWire(t, res.Next)
		}
	}
}

// Members of an alias can have different documents of the same ids. Pages show each of them once, under its own head,
// whatever ties.
func TestPagesOfSameIDs(t *testing.T) {
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
		"bytes": func(i int) string { return string([]byte{0xff, byte(i * 12)}) },
		"runes": func(i int) string {
			return "x" + string([]rune{0xe000 + rune(i), 0xe000 - rune(i%2)*0x801}[i%2]) + strings.Repeat("\x00", i%3)
		},
	} {
		var members []bleve.Index
		for k, index := range []string{"b", "c", "a"} {
			docs := map[string]page{}
			for i := range 14 {
				docs[id(i)] = page{Body: texts[rnd.IntN(len(texts))], Version: float64(10*k + rnd.IntN(8)), Project: fmt.Sprint(i % 2)}
			}
			x := newIndex(t, docs)
			x.SetName(index)
			members = append(members, x)
		}
		for kind, x := range map[string]bleve.Index{
			"one": members[0], "alias": bleve.NewIndexAlias(members...),
			"nested": bleve.NewIndexAlias(bleve.NewIndexAlias(members[0], members[1]), members[2]),
			"parts":  bleve.NewIndexAlias(remotely(members[0]), remotely(members[1]), remotely(members[2])),
			"mixed":  bleve.NewIndexAlias(remotely(members[0]), members[1], members[2]),
		} {
			if name != "short" && kind != "alias" {
				continue
			}
			for n, by := range [][]string{{"_id"}, {"-_id"}, {"version"}, {"-_score"}, {"project", "-_id"}} {
				if name != "short" && n > 1 {
					break
				}
				r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
				r.SortBy(by)
				for i, o := range []collapse.Options{{}, {Visible: 2}, {Budget: 7}} {
					if i > 0 && (kind != "alias" || name != "short" || n != 1) {
						continue
					}
					want := pagesOf(t, x, *r, collapse.Options{Visible: o.Visible}, 1000, true)
					for _, byCursor := range []bool{true, false} {
						if o.Budget > 0 && !byCursor {
							continue
						}
						got := pagesOf(t, x, *r, o, 3, byCursor)
						if !slices.Equal(got.shown, want.shown) {
							t.Fatalf("%s, %s, by %v, cursor %v, %+v: shows\n%.2000q, want\n%.2000q", name, kind, by, byCursor, o, got.shown, want.shown)
						}
						if fmt.Sprint(got.members) != fmt.Sprint(want.members) {
							t.Fatalf("%s, %s, by %v, cursor %v, %+v: members\n%.2000s, want\n%.2000s", name, kind, by, byCursor, o, fmt.Sprint(got.members), fmt.Sprint(want.members))
						}
					}
				}
			}
		}
	}
}

// With Complete, the last page lists what belongs under heads of pages that could not be complete.
func TestLastPageOfIncomplete(t *testing.T) {
	t.Parallel()
	x := newMappedIndex(t, withFields(newMapping("")), versioned(31, 40))
	r := byID(bleve.NewMatchAllQuery())
	for name, o := range map[string]collapse.Options{
		"key":  {Complete: true, By: &collapse.By{Field: "word", Or: true}},
		"bare": {Complete: true, Missing: collapse.GroupMissing},
		"near": {Complete: true},
	} {
		want := pagesOf(t, x, *r, o, 1000, true)
		for _, byCursor := range []bool{true, false} {
			if got := pagesOf(t, x, *r, o, 2, byCursor); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, by cursor %v: got\n%.1000s, want\n%.1000s", name, byCursor, fmt.Sprint(got), fmt.Sprint(want))
			}
		}
	}
}
