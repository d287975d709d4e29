package collapse_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
)

// flaky is an index that fails in one of the searches it is asked for.
type flaky struct {
	inner
	asked, fails int
}

var errFlaky = errors.New("no answer this time")

func (x *flaky) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if x.asked++; x.asked == x.fails {
		return nil, errFlaky
	}
	return x.inner.SearchInContext(ctx, r)
}

// A member of an alias that fails in any one of the searches which a page takes is told
// of: when hits are read, and when inner hits and texts are.
func TestSearchTellsOfEveryFailure(t *testing.T) {
	t.Parallel()
	docs := families(rand.New(rand.NewPCG(7, 7)), 200, 30)
	here, there := newIndex(t, nil), &flaky{inner: newIndex(t, docs)}
	here.SetName("here")
	there.SetName("there")
	alias := bleve.NewIndexAlias(here, there)
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	r := bleve.NewSearchRequest(match)
	first, err := collapse.Search(context.Background(), alias, r, collapse.Options{})
	if err != nil || first.Next == nil {
		t.Fatalf("got %+v, error %v", first, err)
	}
	o := collapse.Options{Cursor: first.Next, InnerHits: []collapse.InnerHits{{Name: "all", Size: 9}}, Explain: new(explain.Options)}
	there.asked = 0
	if res, err := collapse.Search(context.Background(), alias, r, o); err != nil || res.Status.Failed != 0 {
		t.Fatalf("nothing fails: got %+v, error %v", res, err)
	}
	searches := there.asked
	if searches < 3 {
		t.Fatalf("%d searches: this test shows little", searches)
	}
	for fails := 1; fails <= searches; fails++ {
		there.asked, there.fails = 0, fails
		res, err := collapse.Search(context.Background(), alias, r, o)
		if err != nil {
			t.Fatal(err)
		}
		if there.asked >= fails && (res.Status.Failed != 1 || !errors.Is(res.Status.Errors["there"], errFlaky) || res.TotalGroupsRelation != bleve.TotalRelationGte) {
			t.Errorf("search %d of %d fails: got %+v, groups %s", fails, searches, res.Status, res.TotalGroupsRelation)
		}
	}
}
