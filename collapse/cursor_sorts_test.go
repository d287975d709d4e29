package collapse_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// A cursor of pages by numbers or dates holds a key, so that the next page begins where the last one ended
// though documents before it were deleted.
func TestCursorsBySortAfterDeletion(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]search.SortFieldType{"n": search.SortFieldAsNumber, "d": search.SortFieldAsDate} {
		x := newIndex(t, nil)
		b := x.NewBatch()
		id := func(i int) string { return fmt.Sprintf("%02d", i) }
		for i := range 20 {
			doc := map[string]any{"body": fmt.Sprint("offer ", i), "n": i, "d": time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)}
			if err := b.Index(id(i), doc); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 7, 0, false)
		r.SortByCustom(search.SortOrder{&search.SortField{Field: name, Type: kind}})
		var o collapse.Options
		for begin := 0; begin < 20; begin += 7 {
			res, err := collapse.Search(t.Context(), x, r, o)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for i := begin; i < min(begin+7, 20); i++ {
				want = append(want, id(i))
			}
			for _, hit := range res.Hits {
				got = append(got, hit.ID)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("by %s: got %q, want %q", name, got, want)
			}
			o.Cursor = res.Next
			if err := x.Delete(id(begin)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
