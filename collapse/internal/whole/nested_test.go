package whole

import (
	"errors"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// listed gives matches of these documents, and then an error, if there is one.
type listed struct {
	search.Searcher
	docs []uint64
	err  error
}

func (l *listed) Next(sc *search.SearchContext) (*search.DocumentMatch, error) {
	if len(l.docs) == 0 {
		return nil, l.err
	}
	m := sc.DocumentMatchPool.Get()
	m.IndexInternalID = index.NewAncestorID(l.docs[0]).ToIndexInternalID(m.IndexInternalID)
	m.Score = 1
	l.docs = l.docs[1:]
	return m, nil
}

// tens has documents that are nested in the one at the ten before.
type tens struct{ index.NestedReader }

func (tens) Ancestors(id index.IndexInternalID, room []index.AncestorID) ([]index.AncestorID, error) {
	n := id.Value()
	if room = append(room, index.NewAncestorID(n)); n%10 > 0 {
		room = append(room, index.NewAncestorID(n/10*10))
	}
	return room, nil
}

// To advance the searcher of whole documents is to take the next ones until the place is reached.
// An error of the inner searcher comes out of it.
func TestRootsAdvance(t *testing.T) {
	t.Parallel()
	docs := []uint64{0, 3, 4, 21, 30, 32, 57, 60}
	want := []uint64{0, 20, 30, 50, 60}
	matched := map[uint64]float64{0: 3, 20: 1, 30: 2, 50: 1, 60: 1}
	failed := errors.New("failed")
	for to := range uint64(72) {
		for _, end := range []error{nil, failed} {
			sc := &search.SearchContext{DocumentMatchPool: search.NewDocumentMatchPool(20, 0)}
			r := &roots{Searcher: &listed{docs: slices.Clone(docs), err: end}, reader: tens{}}
			m, err := r.Advance(sc, index.NewAncestorID(to).ToIndexInternalID(nil))
			at, _ := slices.BinarySearch(want, to)
			if at == len(want) || end != nil && at == len(want)-1 { // the last is complete when no other comes
				if m != nil || !errors.Is(err, end) {
					t.Errorf("to %d, ending with %v: got %v, %v", to, end, m, err)
				}
				continue
			}
			if err != nil || m == nil {
				t.Fatalf("to %d, ending with %v: got %v, %v, want %d", to, end, m, err, want[at])
			}
			if n := m.IndexInternalID.Value(); n != want[at] || m.Score != matched[n] {
				t.Errorf("to %d: got %d with score %v, want %d with %v", to, n, m.Score, want[at], matched[want[at]])
			}
		}
	}
}
