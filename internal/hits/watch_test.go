package hits

import (
	"context"
	"testing"

	"github.com/blevesearch/bleve/v2"
)

// failing is an alias of which so many members fail, at one search after the other.
type failing struct {
	anyIndex
	failures []int
}

func (f *failing) SearchInContext(context.Context, *bleve.SearchRequest) (*bleve.SearchResult, error) {
	n := f.failures[0]
	f.failures = f.failures[1:]
	return &bleve.SearchResult{Status: &bleve.SearchStatus{Total: 4, Failed: n, Successful: 4 - n}}, nil
}

// Of several searches the one with the most failures is told, the first if there are several.
func TestWatchedWorst(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		failures []int
		want     int // the search that is told, -1 for none
	}{
		{[]int{0, 0}, -1},
		{[]int{0, 1, 0}, 1},
		{[]int{1, 3, 2, 0}, 1},
		{[]int{3, 1, 2}, 0},
		{[]int{2, 2}, 0},
	} {
		w := &Watched{anyIndex: &failing{failures: tt.failures}}
		var told []*bleve.SearchStatus
		for range len(tt.failures) {
			res, err := w.SearchInContext(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			told = append(told, res.Status)
		}
		var want *bleve.SearchStatus
		if tt.want >= 0 {
			want = told[tt.want]
		}
		if w.worst != want {
			t.Errorf("%v: got %+v, want %+v", tt.failures, w.worst, want)
		}
	}
}
