package collapse_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// loop asks for page after page, and writes between two. It returns how often each hit was shown or listed, in the
// order of the first time, and fails if there are more pages than hits can make.
func loop(t *testing.T, x bleve.Index, r bleve.SearchRequest, o collapse.Options, most int, write func(page int, res *collapse.Result)) (times map[string]int) {
	t.Helper()
	times = map[string]int{}
	for page := 0; ; page++ {
		if page > most {
			t.Fatalf("%d pages of %d did not end", page, r.Size)
		}
		res, err := collapse.Search(context.Background(), x, &r, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range res.Hits {
			times[hit.ID]++
		}
		for _, g := range slices.Concat(res.Groups, res.Earlier) {
			for _, m := range g.Members {
				times[m.ID]++
			}
		}
		if res.Next == nil {
			return times
		}
		o.Cursor = overTheWire(t, res.Next)
		write(page, res)
	}
}

// scores are indexes in which the scores of all hits move as documents are deleted: down, or under BM25 up.
func moving(t *testing.T, n int) map[string]bleve.Index {
	t.Helper()
	all := map[string]bleve.Index{}
	for _, scoring := range []string{"", "bm25"} {
		docs := map[string]page{}
		for i := range n {
			docs[fmt.Sprintf("d%05d", i)] = page{Body: fmt.Sprintf("common w%d w%d w%d", i, i+n, i+2*n)}
		}
		x := newMappedIndex(t, newMapping(scoring), docs)
		all["one "+scoring] = x
		y, z := newMappedIndex(t, newMapping(scoring), docs), newMappedIndex(t, newMapping(scoring), nil)
		z.SetName("z")
		all["alias "+scoring] = bleve.NewIndexAlias(y, z)
		all["parts "+scoring] = bleve.NewIndexAlias(remotely(newMappedIndex(t, newMapping(scoring), docs)), remotely(z))
	}
	return all
}

// writer returns the index that documents of x are in.
func writer(x bleve.Index) bleve.Index {
	if alias, ok := x.(interface{ VisitIndexes(func(bleve.Index)) }); ok {
		first := x
		alias.VisitIndexes(func(member bleve.Index) {
			if member.Name() != "z" {
				first = writer(member)
			}
		})
		return first
	}
	return x
}

// A loop over pages by score ends while documents are deleted, though this moves the scores of the others. A document
// that stays is shown exactly once here, where the scores of all hits are the same.
func TestLoopWhileDeleting(t *testing.T) {
	t.Parallel()
	const n, pageOf, deleted = 240, 20, 3
	for name, deletes := range map[string]func(rnd *rand.Rand, ids []string, res *collapse.Result) []string{
		"any": func(rnd *rand.Rand, ids []string, res *collapse.Result) (gone []string) {
			for range deleted {
				if id := ids[rnd.IntN(len(ids))]; id != res.Hits[len(res.Hits)-1].ID {
					gone = append(gone, id)
				}
			}
			return gone
		},
		"the last shown": func(_ *rand.Rand, _ []string, res *collapse.Result) []string {
			return []string{res.Hits[len(res.Hits)-1].ID}
		},
		"all shown": func(_ *rand.Rand, _ []string, res *collapse.Result) (gone []string) {
			for _, hit := range res.Hits {
				gone = append(gone, hit.ID)
			}
			return gone
		},
	} {
		for kind, x := range moving(t, n) {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(301, 302))
				match := bleve.NewMatchQuery("common")
				match.SetField("body")
				ids, gone := make([]string, 0, n), map[string]bool{}
				for i := range n {
					ids = append(ids, fmt.Sprintf("d%05d", i))
				}
				r := bleve.NewSearchRequestOptions(match, pageOf, 0, false)
				times := loop(t, x, *r, collapse.Options{}, 2*n/pageOf+2, func(_ int, res *collapse.Result) {
					b := writer(x).NewBatch()
					for _, id := range deletes(rnd, ids, res) {
						gone[id] = true
						b.Delete(id)
					}
					flush(t, writer(x), b)
				})
				wrong := 0
				for _, id := range ids {
					if times[id] != 1 && !gone[id] {
						wrong++
					}
				}
				if wrong > 0 {
					t.Errorf("%d of %d documents that stayed were not shown exactly once", wrong, n-len(gone))
				}
			})
		}
	}
}

// It ends while documents are written anew, so that their scores go up or down, and while others come.
func TestLoopWhileWriting(t *testing.T) {
	t.Parallel()
	const n, pageOf = 120, 10
	for name, writes := range map[string]func(b *bleve.Batch, page int, last string) error{
		"the last shown comes first": func(b *bleve.Batch, _ int, last string) error { return b.Index(last, (page{Body: "common"}).data()) },
		"the last shown goes last": func(b *bleve.Batch, _ int, last string) error {
			return b.Index(last, (page{Body: "common" + strings.Repeat(" filler", 40)}).data())
		},
		"the first of all come again": func(b *bleve.Batch, _ int, _ string) error { return b.Index("d00000", (page{Body: "common"}).data()) },
		"one more comes first": func(b *bleve.Batch, i int, last string) error {
			b.Delete(last)
			return b.Index(fmt.Sprint("a", i), (page{Body: fmt.Sprint("common ", i)}).data())
		},
	} {
		for kind, x := range moving(t, n) {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				match := bleve.NewMatchQuery("common")
				match.SetField("body")
				loop(t, x, *bleve.NewSearchRequestOptions(match, pageOf, 0, false), collapse.Options{}, 2*n/pageOf+2, func(i int, res *collapse.Result) {
					b := writer(x).NewBatch()
					if err := writes(b, i, res.Hits[len(res.Hits)-1].ID); err != nil {
						t.Fatal(err)
					}
					flush(t, writer(x), b)
				})
			})
		}
	}
}

// What the pages before met does not count in the budget, and a document that comes or
// goes before the place of a cursor neither repeats nor hides what comes after it.
func TestCursorOfChangedIndex(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 60 {
		docs[fmt.Sprintf("d%02d", i)] = page{Body: fmt.Sprint(strings.Repeat(fmt.Sprint("word", i, " "), 5), sentence[:i%7])}
	}
	x := newIndex(t, docs)
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 15
	o := collapse.Options{Budget: 20}
	first, err := collapse.Search(t.Context(), x, r, o)
	if err != nil {
		t.Fatal(err)
	}
	if o.Cursor = overTheWire(t, first.Next); o.Cursor.Taken != 15 {
		t.Fatalf("cursor %+v", o.Cursor)
	}
	if err := x.Index("c", page{Body: "a text of its own that comes first of all"}.data()); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete("d03"); err != nil {
		t.Fatal(err)
	}
	for at := 15; ; {
		next, err := collapse.Search(t.Context(), x, r, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range next.Hits {
			if want := fmt.Sprintf("d%02d", at); hit.ID != want {
				t.Fatalf("got hit %s, wanted %s", hit.ID, want)
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
