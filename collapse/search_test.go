package collapse_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
)

// size is how large a test is, which is less with -short: the race detector takes ten times as long.
func size(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// families makes documents in families of near-copies of several degrees, and
// some on their own.
func families(rnd *rand.Rand, n, words int) map[string]page {
	word := func() string { return fmt.Sprintf("w%d", rnd.IntN(500)) }
	docs := make(map[string]page, n)
	for len(docs) < n {
		text := make([]string, words)
		for i := range text {
			text[i] = word()
		}
		text[0] = "common"
		for range 1 + rnd.IntN(6) {
			copied := slices.Clone(text)
			for range rnd.IntN(4) * words / 100 {
				copied[1+rnd.IntN(words-1)] = word()
			}
			if rnd.IntN(3) == 0 {
				copied = append(copied, "common") // another score
			}
			docs[fmt.Sprintf("d%05d", rnd.IntN(100000))] = page{
				Body: strings.Join(copied, " "), Version: float64(rnd.IntN(4)), Project: fmt.Sprint("p", rnd.IntN(3)),
			}
		}
	}
	return docs
}

// A page sorted by fields that have few values takes one search of bleve's: with "_id" at once.
func TestFewValues(t *testing.T) {
	t.Parallel()
	asked := 0
	x := restless{newIndex(t, families(rand.New(rand.NewPCG(113, 114)), 1000, 20)), func() { asked++ }}
	for i, order := range [][]string{{"project"}, {"-project"}, {"absent", "project"}} {
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		r.SortBy(order)
		if got, err := collapse.Search(t.Context(), x, r, collapse.Options{}); err != nil || len(got.Hits) != 10 || asked != i+1 {
			t.Errorf("%q: got %d hits, error %v, searches until then %d, wanted 10 by one search each", order, len(got.Hits), err, asked)
		}
	}
}

// Where far more matches are met than a page keeps, and they differ in what bleve has to tell of them, hits have what
// bleve tells of each.
func TestTold(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(111, 112))
	docs := map[string]page{}
	for i := range 3000 {
		text := []string{"common"}
		for range 12 + rnd.IntN(30) {
			text = append(text, fmt.Sprintf("w%d", rnd.IntN(40)))
		}
		docs[fmt.Sprintf("d%05d", i)] = page{Body: strings.Join(text, " "), Version: float64(i)}
	}
	x := newIndex(t, docs)
	phrase, match := bleve.NewMatchPhraseQuery("w1 w2"), bleve.NewMatchQuery("common w3")
	phrase.SetField("body")
	match.SetField("body")
	all := bleve.NewDocIDQuery(slices.Collect(maps.Keys(docs)))
	for _, q := range []query.Query{match, phrase, bleve.NewDisjunctionQuery(phrase, all), bleve.NewDisjunctionQuery(match, phrase)} {
		for n := range 8 {
			r := bleve.NewSearchRequestOptions(q, 7, 0, n&1 != 0)
			if r.IncludeLocations = n&2 != 0; n&4 != 0 {
				r.Highlight = bleve.NewHighlight()
			}
			got, err := collapse.Search(t.Context(), x, r, collapse.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r.SortBy([]string{"-_score", "_id"})
			want, err := x.Search(r)
			if err != nil {
				t.Fatal(err)
			}
			for i, hit := range want.Hits {
				got.Hits[i].Sort, got.Hits[i].DecodedSort = hit.Sort, hit.DecodedSort
				a, _ := json.Marshal(got.Hits[i])
				b, _ := json.Marshal(hit)
				if !bytes.Equal(a, b) {
					t.Fatalf("%T, %d, hit %d: got %s, want %s", q, n, i, a, b)
				}
			}
		}
	}
}
