package upstream

import (
	"strconv"
	"testing"

	"github.com/blevesearch/bleve/v2"
)

func TestScoreInSort(t *testing.T) {
	t.Parallel()
	index, err := bleve.New("", bleve.NewIndexMapping())
	index = closing(t, index, err)
	write(t, index, "fox", "fox and dog", "fox and dog and hen and cow", "fox in a long text about many other things")

	page := func(after []string) *bleve.SearchResult {
		t.Helper()
		request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery("fox"), 2, 0, false)
		request.SortBy([]string{"-_score", "_id"})
		request.SearchAfter = after
		result, err := index.Search(request)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	hit := page(nil).Hits[1]
	if hit.Sort[0] != "_score" {
		t.Errorf("bleve has changed: the key of the score is %q, was the word _score", hit.Sort[0])
	}
	next := page(hit.Sort) // no error, and not the next page
	if len(next.Hits) != 0 {
		t.Errorf("bleve has changed: after %q come %d hits, came none", hit.Sort, len(next.Hits))
	}
	after := []string{strconv.FormatFloat(hit.Score, 'g', -1, 64), hit.ID}
	if next := page(after); len(next.Hits) != 2 || next.Hits[0].Score >= hit.Score {
		t.Errorf("after %q: got %v, want the two other hits", after, next.Hits)
	}
}
