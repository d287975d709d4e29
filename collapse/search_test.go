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

func TestSearchBudget(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	text := strings.Repeat("one text that is the same in all of them but for nothing at all ", 5)
	for i := range 300 {
		docs[fmt.Sprintf("%03d", i)] = page{Body: text}
	}
	docs["999"] = page{Body: "another text with words of its own that share no shingle with those above"}
	index := newIndex(t, docs)
	r := byID(bleve.NewMatchAllQuery())
	res, err := collapse.Search(context.Background(), index, r, collapse.Options{Budget: 100})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) != 1 || res.Hidden != 99 || res.Next == nil || res.TotalGroupsRelation != bleve.TotalRelationGte || res.Total != 301 {
		t.Fatalf("got %d hits, %d hidden, next %v, relation %s, total %d; want 1, 99, a cursor, gte, 301",
			len(res.Hits), res.Hidden, res.Next, res.TotalGroupsRelation, res.Total)
	}
	// Ranked by score, which another part of the code does, it is the same.
	ranked, err := collapse.Search(context.Background(), index, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{Budget: 100})
	if err != nil || len(ranked.Hits) != 1 || ranked.Hidden != 99 || ranked.Next == nil || ranked.Next.Taken != 100 {
		t.Fatalf("by score: got %+v, error %v; want 1 hit, 99 hidden, a cursor after 100", ranked, err)
	}
	// Going on, the copies stay hidden, and the other text is found.
	seen := 1
	for steps := 0; res.Next != nil; steps++ {
		if steps > 10 {
			t.Fatal("no end")
		}
		res, err = collapse.Search(context.Background(), index, r, collapse.Options{Budget: 100, Cursor: res.Next})
		if err != nil {
			t.Fatal(err)
		}
		seen += len(res.Hits)
	}
	if seen != 2 || res.TotalGroups != 2 {
		t.Errorf("got %d heads, %d groups; want 2, 2", seen, res.TotalGroups)
	}
}
