package collapse_test

import (
	"errors"
	"math"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// The numbers of a cursor, which are added up, are not taken for what they cannot be.
func TestCursorNumbers(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}, "b": {Body: "another quick fox"}})
	heads := []collapse.Ref{{ID: "a"}, {ID: "none"}}
	for name, c := range map[string]collapse.Cursor{
		"taken":           {Taken: math.MaxInt, Heads: heads},
		"taken, and more": {Taken: math.MaxInt - 20, Heads: heads},
		"shown":           {Taken: 1, Heads: heads, Shown: []int{math.MaxInt, math.MaxInt}},
	} {
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		if _, err := collapse.Search(t.Context(), index, r, collapse.Options{Cursor: &c}); !errors.Is(err, collapse.ErrRequest) {
			t.Errorf("%s: got error %v, want one that wraps ErrRequest", name, err)
		}
	}
	c := collapse.Cursor{Taken: 1 << 29, Heads: heads, Shown: []int{1 << 29, 1}}
	if _, err := collapse.Search(t.Context(), index, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{Cursor: &c}); err != nil {
		t.Error(err)
	}
}

// A cursor may have shown as many hits as there can be, and no more.
func TestCursorOfTheMostHits(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}})
	heads := []collapse.Ref{{ID: "gone"}, {ID: "none"}}
	for more, want := range []error{nil, collapse.ErrRequest} {
		for _, shown := range [][]int{{indexes.MostHits + more}, {indexes.MostHits - 7 + more, 7}} {
			c := collapse.Cursor{Taken: 1, Heads: heads[:len(shown)], Shown: shown}
			if _, err := collapse.Search(t.Context(), index, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{Cursor: &c}); !errors.Is(err, want) {
				t.Errorf("shown %v: got error %v, want %v", shown, err, want)
			}
		}
	}
}
