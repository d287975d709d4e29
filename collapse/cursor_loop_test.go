package collapse_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

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

// A loop over pages by score ends while documents are deleted, though this moves the scores of the others, and while
// they are written anew, so that their scores go up or down. Where documents are only deleted, one that stays is shown
// exactly once here, where the scores of all hits are the same.
func TestLoopWhileWriting(t *testing.T) {
	t.Parallel()
	const n, pageOf = 120, 10
	anew := func(b *bleve.Batch, id, body string) {
		if err := b.Index(id, page{Body: body}.data()); err != nil {
			t.Error(err)
		}
	}
	for name, write := range map[string]func(b *bleve.Batch, rnd *rand.Rand, page int, res *collapse.Result, last string){
		"any go": func(b *bleve.Batch, rnd *rand.Rand, _ int, _ *collapse.Result, last string) {
			for range 3 {
				if id := fmt.Sprintf("d%05d", rnd.IntN(n)); id != last {
					b.Delete(id)
				}
			}
		},
		"the last shown goes": func(b *bleve.Batch, _ *rand.Rand, _ int, _ *collapse.Result, last string) { b.Delete(last) },
		"all shown go": func(b *bleve.Batch, _ *rand.Rand, _ int, res *collapse.Result, _ string) {
			for _, hit := range res.Hits {
				b.Delete(hit.ID)
			}
		},
		"written: the last shown comes first": func(b *bleve.Batch, _ *rand.Rand, _ int, _ *collapse.Result, last string) { anew(b, last, "common") },
		"written: the last shown comes last": func(b *bleve.Batch, _ *rand.Rand, _ int, _ *collapse.Result, last string) {
			anew(b, last, "common"+strings.Repeat(" filler", 40))
		},
		"written: the first of all come again": func(b *bleve.Batch, _ *rand.Rand, _ int, _ *collapse.Result, _ string) { anew(b, "d00000", "common") },
		"written: one more comes first": func(b *bleve.Batch, _ *rand.Rand, page int, _ *collapse.Result, last string) {
			b.Delete(last)
			anew(b, fmt.Sprint("a", page), fmt.Sprint("common ", page))
		},
	} {
		for kind, x := range moving(t, n) {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(301, 302))
				match := bleve.NewMatchQuery("common")
				match.SetField("body")
				r := bleve.NewSearchRequestOptions(match, pageOf, 0, false)
				times := loop(t, x, *r, collapse.Options{}, 2*n/pageOf+2, func(page int, res *collapse.Result) {
					b := writer(x).NewBatch()
					write(b, rnd, page, res, res.Hits[len(res.Hits)-1].ID)
					flush(t, writer(x), b)
				})
				stayed, err := x.Search(bleve.NewSearchRequestOptions(match, n, 0, false))
				if err != nil {
					t.Fatal(err)
				}
				for _, hit := range stayed.Hits {
					if times[hit.ID] != 1 && !strings.HasPrefix(name, "written") {
						t.Errorf("%s stayed, and was shown %d times", hit.ID, times[hit.ID])
					}
				}
			})
		}
	}
}

// What the pages before met does not count in the budget, and a document that comes or goes before the place of a
// cursor, or at it, neither repeats nor hides what comes after it, whatever the order.
func TestCursorOfChangedIndex(t *testing.T) {
	t.Parallel()
	id := func(i int) string { return fmt.Sprintf("d%02d", i) }
	for _, by := range []string{`"_id"`, `{"by":"field","field":"version","type":"number"}`, `{"by":"field","field":"date","type":"date"}`} {
		x := newIndex(t, nil)
		b := x.NewBatch()
		for i := range 60 {
			doc := page{Body: fmt.Sprint(strings.Repeat(fmt.Sprint("word", i, " "), 5), sentence[:i%7]), Version: float64(i)}.data()
			doc["date"] = time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
			if err := b.Index(id(i), doc); err != nil {
				t.Fatal(err)
			}
		}
		flush(t, x, b)
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 15, 0, false)
		r.Sort = order(t, "["+by+"]")
		o := collapse.Options{Budget: 20}
		for at := 0; ; {
			next, err := collapse.Search(t.Context(), x, r, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range next.Hits {
				if hit.ID != id(at) {
					t.Fatalf("by %s: got hit %s, wanted %s", by, hit.ID, id(at))
				}
				at++
			}
			if next.Next == nil {
				if at != 60 {
					t.Fatalf("by %s: the last hit is %d, wanted 59", by, at-1)
				}
				break
			}
			o.Cursor = overTheWire(t, next.Next)
			first := page{Body: fmt.Sprint("a text of its own that comes first of all ", at), Version: -1}.data()
			first["date"] = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
			b := x.NewBatch()
			if err := b.Index(fmt.Sprint("c", at), first); err != nil {
				t.Fatal(err)
			}
			b.Delete(id(at - 12))
			b.Delete(id(at - 1))
			flush(t, x, b)
		}
	}
}
