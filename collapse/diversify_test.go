package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

// overlapping are the words of manuals in chunks of 200, which begin every step words.
func overlapping(t testing.TB, n, step int) (chunks [][]string) {
	for _, d := range neartest.Shipped(t) {
		words := strings.Fields(d.Text)
		for at := 0; at+200 <= len(words) && len(chunks) < n; at += step {
			chunks = append(chunks, words[at:at+200])
		}
	}
	return chunks
}

func chunkIndex(t testing.TB, chunks [][]string) bleve.Index {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	batch := x.NewBatch()
	for i, words := range chunks {
		if err := batch.Index(fmt.Sprintf("%05d", i), map[string]any{"body": strings.Join(words, " ")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	return x
}

// Pages with Diversify are the pages of the order that the definition gives, by comparison of all
// heads; at 1 they are those without it, byte for byte.
func TestDiversify(t *testing.T) {
	t.Parallel()
	chunks := overlapping(t, 150, 50)
	x := chunkIndex(t, chunks)
	var signatures []signature.Signature
	for _, words := range chunks {
		signatures = append(signatures, signature.Of(signature.DefaultParams(), []byte(strings.Join(words, " "))))
	}
	request := func(query string, size, from int) *bleve.SearchRequest {
		return bleve.NewSearchRequestOptions(bleve.NewMatchQuery(query), size, from, false)
	}
	moved := 0
	for _, query := range []string{"instruction", "the type of a value", "xyzzy"} {
		all, err := collapse.Search(context.Background(), x, request(query, 400, 0), collapse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, lambda := range []float64{.01, .7, 1} {
			var want, got []string
			left := slices.Clone(all.Hits[:min(50, len(all.Hits))])
			var shown []string
			for len(left) > 0 {
				best, most := 0, 0.
				for i, hit := range left {
					like := 0.
					for _, id := range shown {
						r, _ := signatures[numberOf(hit.ID)].Resemblance(&signatures[numberOf(id)])
						like = max(like, r.Value)
					}
					if v := lambda*hit.Score/all.Hits[0].Score - (1-lambda)*like; i == 0 || v > most {
						best, most = i, v
					}
				}
				shown = append(shown, left[best].ID)
				left = slices.Delete(left, best, best+1)
			}
			want = append(want, shown...)
			for _, hit := range all.Hits[len(want):] {
				want = append(want, hit.ID)
			}
			for from := 0; from < len(want); from += 30 {
				o := collapse.Options{Diversify: lambda}
				r, err := collapse.Search(context.Background(), x, request(query, 30, from), o)
				if err != nil {
					t.Fatal(err)
				}
				for i, hit := range r.Hits {
					got = append(got, hit.ID)
					if r.Groups[i].Head.ID != hit.ID {
						t.Fatalf("%q, %v: group %d has the head %s, the hit is %s", query, lambda, i, r.Groups[i].Head.ID, hit.ID)
					}
				}
				if lambda < 1 {
					continue
				}
				plain, err := collapse.Search(context.Background(), x, request(query, 30, from), collapse.Options{})
				if err != nil {
					t.Fatal(err)
				}
				r.Took, plain.Took = 0, 0
				a, _ := json.Marshal(r)
				if b, _ := json.Marshal(plain); string(a) != string(b) {
					t.Errorf("%q at 1: got %s, want %s", query, a, b)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q, %v: got %q, want %q", query, lambda, got, want)
			}
			if len(want) > 0 && lambda < 1 && want[1] != all.Hits[1].ID {
				moved++
			}
		}
	}
	if moved < 2 {
		t.Errorf("%d pages have another second hit: this test shows little", moved)
	}
}

func numberOf(id string) int {
	n, _ := strconv.Atoi(id)
	return n
}

// The top ten of queries for overlapping chunks have more different shingles a word, at nearly the
// same scores:
//
//	go test ./collapse -run DiversifyGain -v
func TestDiversifyGain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a second")
	}
	chunks := overlapping(t, 1000, 50)
	x := chunkIndex(t, chunks)
	rnd := rand.New(rand.NewPCG(71, 72))
	var queries []string
	for len(queries) < 200 {
		words := chunks[rnd.IntN(len(chunks))]
		at := rnd.IntN(len(words) - 3)
		queries = append(queries, strings.Join(words[at:at+3], " "))
	}
	sets := make([]map[string]struct{}, len(chunks))
	for i, words := range chunks {
		sets[i] = neartest.Shingles(words, 4)
	}
	var distinct, words [2]int
	var score [2]float64
	for _, q := range queries {
		for n, o := range []collapse.Options{{}, {Diversify: .7}} {
			r, err := collapse.Search(context.Background(), x, bleve.NewSearchRequest(bleve.NewMatchQuery(q)), o)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[string]struct{}{}
			for _, hit := range r.Hits {
				maps.Copy(seen, sets[numberOf(hit.ID)])
				words[n] += len(chunks[numberOf(hit.ID)])
				score[n] += hit.Score
			}
			distinct[n] += len(seen)
		}
	}
	gain, kept := float64(distinct[1])/float64(words[1])/(float64(distinct[0])/float64(words[0])), score[1]/score[0]
	t.Logf("lambda .7: %.2f times the shingles a word, %.3f of the scores", gain, kept)
	if gain < 1.3 || kept < .95 {
		t.Errorf("%.2f times the shingles a word, %.3f of the scores", gain, kept)
	}
}

func TestDiversifyWrong(t *testing.T) {
	t.Parallel()
	x := chunkIndex(t, [][]string{{"a"}})
	byID := search.ParseSortOrderStrings([]string{"_id"})
	for want, tt := range map[string]struct {
		o    collapse.Options
		sort search.SortOrder
	}{
		"diversify: wanted 0 to 1, got 1.5": {collapse.Options{Diversify: 1.5}, nil},
		"diversify: wanted 0 to 1, got -1":  {collapse.Options{Diversify: -1}, nil},
		"diversify needs hits in order of":  {collapse.Options{Diversify: .5}, byID},
		"diversify cannot be combined with": {collapse.Options{Diversify: .5, Head: byID}, nil},

		"diversify cannot be combined with by": {collapse.Options{Diversify: .5, By: &collapse.By{Field: "project"}}, nil},
	} {
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		r.Sort = append(search.SortOrder{&search.SortScore{Desc: true}}, byID...)
		if tt.sort != nil {
			r.Sort = tt.sort
		}
		if _, err := collapse.Search(context.Background(), x, r, tt.o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}
