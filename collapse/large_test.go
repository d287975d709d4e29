package collapse_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
)

// campaign has families far larger than what a page keeps at first, which is eight times
// its hits and 64, and which rank before all else; and others between them.
func campaign(seed uint64) map[string]page {
	rnd := rand.New(rand.NewPCG(seed, seed))
	docs := families(rnd, 60, 60)
	for n, size := range []int{240, 160} {
		var body string
		for _, p := range families(rnd, 1, 60) {
			body = p.Body
		}
		for i := range size {
			docs[fmt.Sprintf("spam %d %03d", n, i)] = page{
				Body: fmt.Sprint(body, strings.Repeat(" common", 3-n+rnd.IntN(2))), Version: float64(rnd.IntN(4)), Project: "spam",
			}
		}
	}
	return docs
}

// Pages are the oracle's where families are larger than what is asked for at once; and budgets that end within families
// and between them leave out nothing: the cursor goes on.
func TestLargeFamilies(t *testing.T) {
	t.Parallel()
	docs := campaign(101)
	var asked atomic.Int64
	all := layouts(partsOf(t, 3, docs), &asked)
	all["one"] = newIndex(t, docs)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for name, x := range all {
		for _, by := range [][]string{nil, {"-version", "-_score"}, {"_id"}} {
			if testing.Short() && name != "one" && name != "nodes" {
				continue
			}
			t.Run(fmt.Sprint(name, by), func(t *testing.T) {
				t.Parallel()
				r := bleve.NewSearchRequest(match)
				if by != nil {
					r.SortBy(by)
				}
				all := rank(t, x, r)
				for _, o := range []collapse.Options{
					{Visible: 3}, {Whole: true}, {Budget: 97}, {Budget: 40, Visible: 2}, {Budget: 11, Missing: collapse.DropMissing},
				} {
					if !o.Whole || name == "one" {
						checkOf(t, all, r, o).compare(10)
					}
				}
			})
		}
	}
}

// With what they match damaged, foreign or without a signature at random, pages are the oracle's, on an index, and on
// parts that have the same texts by other ids; so is the whole form.
func TestSpoiled(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(109, 110))
	var parts []bleve.Index
	for i, kind := range []string{"unguarded", "scorch", "upside_down"} {
		docs := map[string]page{}
		for id, doc := range families(rand.New(rand.NewPCG(67, 1)), 45, 60) {
			docs[id+fmt.Sprint(i)] = doc
		}
		parts = append(parts, stored(t, kind, spoiled(t, rnd, docs)))
		parts[i].SetName(fmt.Sprint("part", i))
	}
	var asked atomic.Int64
	all := layouts(parts, &asked)
	all["unguarded"], all["scorch"] = parts[0], parts[1]
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.SortBy([]string{"-_id"})
	for name, x := range all {
		ranked := rank(t, x, r)
		for _, missing := range []collapse.Missing{collapse.KeepMissing, collapse.DropMissing} {
			o := collapse.Options{Missing: missing}
			s := checkOf(t, ranked, r, o)
			if w := s.want; w.unsigned == 0 || w.foreign == 0 || len(w.damaged) == 0 || w.hidden == 0 {
				t.Fatalf("%s, %s: this test shows nothing", name, missing)
			}
			s.compare(13)
			if o.Whole = true; name == "unguarded" || name == "scorch" {
				checkOf(t, ranked, r, o).compare(1000)
			}
		}
	}
}

// copies are one family of which members differ by a few words, so that near is not
// transitive, with a document of another kind now and then.
func copies(rnd *rand.Rand, n int) map[string]page {
	docs := map[string]page{}
	text := families(rnd, 1, 100)
	var body string
	for _, p := range text {
		body = p.Body
	}
	for i := range n {
		docs[fmt.Sprintf("c%05d", rnd.IntN(100000))] = page{
			Body: fmt.Sprintf("%s x%d x%d", body, rnd.IntN(12), rnd.IntN(12)), Version: float64(rnd.IntN(4)), Project: fmt.Sprint("p", i%3),
		}
		if i%9 == 0 {
			maps.Copy(docs, families(rnd, 1, 60))
		}
	}
	return docs
}

// Where a query scores all its matches alike, pages are in the order of the ids, whether those are first among all ids
// or last, and of documents that are not deleted.
func TestManyTies(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(113, 114))
	docs, texts := map[string]page{}, families(rnd, 80, 40)
	bodies := slices.Sorted(maps.Keys(texts))
	for i := range 2800 {
		p := texts[bodies[rnd.IntN(len(bodies))]]
		if p.Project = "early"; i%2 == 0 {
			p.Project = "late"
		}
		docs[fmt.Sprintf("%s %05d", p.Project, i*7919%10007)] = p
	}
	x := newIndex(t, docs)
	batch, changed := x.NewBatch(), map[string]page{}
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		switch i % 9 {
		case 0:
			batch.Delete(id)
		case 1, 2:
			changed[id] = docs[id]
		}
	}
	flush(t, x, batch)
	load(t, x, changed)
	late := bleve.NewTermQuery("late")
	late.SetField("project")
	early := bleve.NewBooleanQuery()
	early.AddMust(bleve.NewMatchAllQuery())
	early.AddMustNot(late)
	some := bleve.NewDisjunctionQuery(bleve.NewMatchAllQuery(), late) // half of the matches score more than the others
	for name, q := range map[string]query.Query{"all": bleve.NewMatchAllQuery(), "late": late, "early": early, "some": some} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, explain := range []bool{false, true} {
				compare(t, x, bleve.NewSearchRequestOptions(q, 10, 0, explain), collapse.Options{}, 10)
			}
			compare(t, x, bleve.NewSearchRequest(q), collapse.Options{Visible: 3}, 10)
			compare(t, x, bleve.NewSearchRequest(q), collapse.Options{Whole: true}, 10)
		})
	}
}

// Scores that are none, which a boost of 0 makes, tie too, however few matches there are.
func TestNoScores(t *testing.T) {
	t.Parallel()
	for _, n := range []int{30, 2000} {
		x := newIndex(t, families(rand.New(rand.NewPCG(115, 116)), n, 40))
		none := bleve.NewMatchQuery("common")
		none.SetField("body")
		none.SetBoost(0)
		r := bleve.NewSearchRequest(none)
		r.SortBy([]string{"_id"})
		want, err := x.Search(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := collapse.Search(t.Context(), x, bleve.NewSearchRequest(none), collapse.Options{Visible: -1})
		if err != nil {
			t.Fatal(err)
		}
		for i, hit := range want.Hits {
			if got.Hits[i].ID != hit.ID || !math.IsNaN(got.Hits[i].Score) {
				t.Fatalf("%d documents: hit %d is %s, score %v, wanted %s", n, i, got.Hits[i].ID, got.Hits[i].Score, hit.ID)
			}
		}
	}
}
