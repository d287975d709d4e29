package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// A cursor whose heads would take too many bytes names none, and its page is what it would be: with
// all options, orders and kinds of parts. compare looks at the size of each cursor.
func TestLargeCursors(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	docs := map[string]page{}
	for id, p := range fieldDocs(23, 40) {
		docs[id+strings.Repeat("x", 180)] = p // ten heads are too many
	}
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = newMappedIndex(t, withFields(newMapping("")), docs)
	for name, x := range all {
		for n := range 4 {
			o := drawOptions(rand.New(rand.NewPCG(uint64(n), 24)))
			match := bleve.NewMatchQuery("common")
			match.SetField("body")
			r := bleve.NewSearchRequest(match)
			if by := [][]string{nil, {"_id"}, {"-version", "_id"}, {"number", "_id"}}[n%4]; by != nil || name != "one" {
				r.SortBy(append(by, "_id")) // of several indexes, ties have no order
			}
			t.Run(fmt.Sprint(name, " ", asText(o)), func(t *testing.T) {
				t.Parallel()
				if n == 3 {
					o = collapse.Options{}
				}
				compare(t, x, r, o, 12)
			})
		}
	}
}

// What such a cursor's pages met before does not count in the budget, and a document that comes or
// goes before its place neither repeats nor hides what comes after it.
func TestLargeCursorOfChangedIndex(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	long := strings.Repeat("y", 180)
	for i := range 60 {
		docs[fmt.Sprintf("d%02d%s", i, long)] = page{Body: fmt.Sprint(strings.Repeat(fmt.Sprint("word", i, " "), 5), sentence[:i%7])}
	}
	x := newIndex(t, docs)
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 15
	o := collapse.Options{Budget: 20}
	first, err := collapse.Search(t.Context(), x, r, o)
	if err != nil {
		t.Fatal(err)
	}
	if o.Cursor = overTheWire(t, first.Next); len(o.Cursor.Heads) > 0 || o.Cursor.Taken != 15 {
		t.Fatalf("cursor %+v", o.Cursor)
	}
	if err := x.Index("c"+long, page{Body: "a text of its own that comes first of all"}.data()); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete("d03" + long); err != nil {
		t.Fatal(err)
	}
	for at := 15; ; {
		next, err := collapse.Search(t.Context(), x, r, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range next.Hits {
			if want := fmt.Sprintf("d%02d%s", at, long); hit.ID != want {
				t.Fatalf("got hit %s, wanted %s", hit.ID[:3], want[:3])
			}
			at++
		}
		if o.Cursor = next.Next; o.Cursor == nil {
			if at != 60 {
				t.Fatalf("the last hit is %d, wanted 59", at-1)
			}
			return
		}
	}
}
