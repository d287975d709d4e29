package collapse_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
)

// A tenant that forges a cursor must not learn whether its text is a near-duplicate of
// what its query does not match.
func TestCursorTellsNothing(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{
		"mine": {Body: sentence, Project: "a"}, "theirs": {Body: strings.ToUpper(sentence), Project: "b"},
	})
	r := bleve.NewSearchRequest(bleve.NewTermQuery("a"))
	r.Query.(*query.TermQuery).SetField("project")
	forged := collapse.Options{Cursor: &collapse.Cursor{Heads: []collapse.Ref{{ID: "theirs"}}}}
	res, err := collapse.Search(context.Background(), index, r, forged)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) != 1 || len(res.Earlier) != 0 || res.Hidden != 0 {
		t.Errorf("%d hits, earlier %+v, hidden %d", len(res.Hits), res.Earlier, res.Hidden)
	}
}
