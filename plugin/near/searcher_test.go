package near

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// hit is a match with its number, and a hundredth of it for its score.
type hit uint64

func (f hit) Number() uint64  { return uint64(f) }
func (f hit) Score() float64  { return float64(f) / 100 }
func (f hit) Explain() string { return fmt.Sprint("found ", uint64(f)) }

type reader struct{ index.IndexReader }

type dry struct{ index.IndexReader }

func (dry) Dry() {}

func boosted(b float64) *PassagesQuery {
	q := &PassagesQuery{ID: "any"}
	q.SetBoost(b)
	return q
}

// Whatever the order of calls, Next and Advance give what a loop over the matches gives.
func TestSearcher(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		var all []hit
		for n := range hit(60) {
			if rnd.IntN(3) == 0 {
				all = append(all, n)
			}
		}
		s, err := newSearcher(t.Context(), reader{}, boosted(2), search.SearcherOptions{Explain: true}, "test", func() ([]hit, error) { return all, nil })
		if err != nil || s.Count() != uint64(len(all)) || s.Weight() != 4 {
			t.Fatalf("got %d of %d matches, weight %v, %v", s.Count(), len(all), s.Weight(), err)
		}
		s.SetQueryNorm(.25)
		sc := &search.SearchContext{DocumentMatchPool: search.NewDocumentMatchPool(100, 0)}
		for rest := all; ; {
			var got *search.DocumentMatch
			if to := uint64(rnd.IntN(60)); rnd.IntN(4) == 0 {
				for len(rest) > 0 && uint64(rest[0]) < to {
					rest = rest[1:]
				}
				got, err = s.Advance(sc, index.NewIndexInternalID(nil, to))
			} else {
				got, err = s.Next(sc)
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(rest) == 0 {
				if got != nil {
					t.Fatalf("after the last match: got %v", got)
				}
				break
			}
			want := rest[0]
			rest = rest[1:]
			if got == nil || got.IndexInternalID.Value() != uint64(want) || got.Score != want.Score()*.5 || got.Expl.Value != got.Score || got.Expl.Children[1].Message != "neardup: "+want.Explain() {
				t.Fatalf("wanted %d, got %+v", want, got)
			}
		}
	}
}

// A dry run looks nothing up, and an error of what finds the matches is one of newSearcher.
func TestNewSearcher(t *testing.T) {
	t.Parallel()
	calls := 0
	find := func() ([]hit, error) {
		calls++
		return []hit{7}, fmt.Errorf("broken")
	}
	if s, err := newSearcher(t.Context(), dry{}, boosted(1), search.SearcherOptions{}, "test", find); err != nil || calls != 0 || s.Count() != 0 {
		t.Errorf("in a dry run: %d calls, %v", calls, err)
	}
	if s, err := newSearcher(t.Context(), reader{}, boosted(1), search.SearcherOptions{}, "test", find); err == nil || s != nil {
		t.Errorf("got %v and the error %v, wanted no searcher and an error", s, err)
	}
}
