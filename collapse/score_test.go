package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
)

// Score fusion, of the one ranking that there is without vectors: pages partition what
// is in the window, in bleve's order, and have bleve's total where the window is given.
func TestFusion(t *testing.T) {
	t.Parallel()
	x := newIndex(t, unsigned(82))
	for _, score := range []string{bleve.ScoreRRF, bleve.ScoreRSF} {
		for _, window := range []int{30, 75, 1000} {
			t.Run(fmt.Sprint(score, window), func(t *testing.T) {
				t.Parallel()
				match := bleve.NewMatchQuery("common w3 w4 w5 w6 w7") // bleve changes its boost
				match.SetField("body")
				r := bleve.NewSearchRequestOptions(match, window, 0, false)
				r.Score = score
				r.Params = &bleve.RequestParams{ScoreRankConstant: bleve.DefaultScoreRankConstant, ScoreWindowSize: window}
				plain, err := x.Search(r)
				if err != nil {
					t.Fatal(err)
				}
				seen := map[string]int{}
				rank := map[string]int{}
				for i, hit := range plain.Hits {
					rank[hit.ID] = i
				}
				r.Size, r.Sort = 10, nil // which is by score
				o, last := collapse.Options{}, -1
				for {
					res, err := collapse.Search(context.Background(), x, r, o)
					if err != nil {
						t.Fatal(err)
					}
					if res.Total != plain.Total {
						t.Errorf("total %d, want %d", res.Total, plain.Total)
					}
					for _, g := range append(res.Groups, res.Earlier...) {
						for _, id := range memberIDs(g) {
							seen[id]++
						}
					}
					for _, hit := range res.Hits {
						if seen[hit.ID]++; rank[hit.ID] <= last {
							t.Errorf("%s is at %d, after %d", hit.ID, rank[hit.ID], last)
						}
						last = rank[hit.ID]
					}
					if res.Next == nil {
						break
					}
					o.Cursor = overTheWire(t, res.Next)
				}
				for id := range rank {
					if seen[id] != 1 {
						t.Errorf("%s is shown or listed %d times", id, seen[id])
					}
				}
				if len(seen) != len(rank) || len(rank) == 0 {
					t.Errorf("%d hits are shown or listed, bleve has %d", len(seen), len(rank))
				}
			})
		}
	}
	for text, want := range map[string]string{
		`"collapse":{"whole":true}`:                           "whole cannot be combined with score fusion",
		`"collapse":{}`:                                       "score fusion needs params with a score_window_size",
		`"params":{"score_rank_constant":9},"collapse":{}`:    "score fusion needs params with a score_window_size",
		`"params":{"score_window_size":20},"collapse":{}`:     "",
		`"params":{"score_window_size":20},"from":5,"size":9`: "",
		`"from":5,"size":9`:                                   "",
	} {
		var r serve.Request
		if err := json.Unmarshal([]byte(`{"query":{"match_all":{}},"score":"rrf",`+text+`}`), &r); err != nil {
			t.Fatal(err)
		}
		_, err := r.Search(context.Background(), x)
		if want == "" && err != nil || want != "" && (!errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got error %v, want one with %q", text, err, want)
		}
	}
}

// cancelling cancels its context when it has given out some matches.
type cancelling struct {
	query.Query
	cancel context.CancelFunc
}

func (q cancelling) Searcher(ctx context.Context, r index.IndexReader, m mapping.IndexMapping, o search.SearcherOptions) (search.Searcher, error) {
	s, err := q.Query.Searcher(ctx, r, m, o)
	return &cancellingSearcher{s, q.cancel, 0}, err
}

type cancellingSearcher struct {
	search.Searcher
	cancel context.CancelFunc
	n      int
}

func (s *cancellingSearcher) Next(ctx *search.SearchContext) (*search.DocumentMatch, error) {
	if s.n++; s.n == 100 {
		s.cancel()
	}
	return s.Searcher.Next(ctx)
}

// A search that is cancelled while it is under way ends with the context's error.
func TestCancelled(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 2500 {
		docs[fmt.Sprint(i)] = page{Body: fmt.Sprint("common text ", i/1000)}
	}
	x := newIndex(t, docs)
	for _, o := range []collapse.Options{{}, {Whole: true}} {
		ctx, cancel := context.WithCancel(context.Background())
		r := bleve.NewSearchRequest(cancelling{bleve.NewMatchAllQuery(), cancel})
		if _, err := collapse.Search(ctx, x, r, o); !errors.Is(err, context.Canceled) {
			t.Errorf("whole %v: got error %v", o.Whole, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background()) // between two requests to bleve
	n := 0
	between := restless{x, func() {
		if n++; n == 2 {
			cancel()
		}
	}}
	if _, err := collapse.Search(ctx, between, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{}); !errors.Is(err, context.Canceled) || n != 2 {
		t.Errorf("request %d: got error %v", n, err)
	}
}
