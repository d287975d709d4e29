package near_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Nearest finds for every document what Search has first, by both back ends; and a
// document signed by itself is signed as it is stored.
func TestNearest(t *testing.T) {
	t.Parallel()
	x := texts(t, nil)
	docs := neartest.Shipped(t)[:250]
	if testing.Short() {
		docs = docs[:100]
	}
	var queries []near.SimilarQuery
	for i, d := range docs {
		data := map[string]any{"body": d.Text, "more": fmt.Sprint("more of ", i/9)}
		if err := x.Index(d.ID, data); err != nil {
			t.Fatal(err)
		}
		sig, err := neardup.SignDocument(x.Mapping(), signature.DefaultField, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		queries = append(queries, near.SimilarQuery{Signature: sig, ID: d.ID, Backend: backends[i%2]})
	}
	for _, self := range []bool{false, true} {
		for i := range queries {
			queries[i].Self = self
		}
		hits, err := near.Nearest(context.Background(), x, queries)
		if err != nil {
			t.Fatal(err)
		}
		found, own := 0, 0
		for i, d := range docs {
			q := near.SimilarQuery{ID: d.ID, Self: self, MaxShare: 1}
			res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q, Size: 1})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case len(res.Hits) == 0 && hits[i] != nil:
				t.Errorf("%s: got %v, want none", d.ID, hits[i])
			case len(res.Hits) > 0 && (hits[i] == nil || !reflect.DeepEqual(*hits[i], res.Hits[0])):
				t.Errorf("%s: got %+v, want %+v", d.ID, hits[i], res.Hits[0])
			case len(res.Hits) > 0:
				found++
				if hits[i].ID == d.ID {
					own++
				}
			}
		}
		if found < 20 || self != (own > 0) {
			t.Errorf("self %t: %d found, %d of them the document itself: this test shows little", self, found, own)
		}
	}
	for _, wrong := range []near.SimilarQuery{{ID: "llvm-15/index"}, {Text: []string{"text"}}, {Signature: &signature.Signature{Tokens: 9, Params: 1}}} {
		if hits, err := near.Nearest(context.Background(), x, []near.SimilarQuery{wrong}); err == nil {
			t.Errorf("%+v: got %v, no error", wrong, hits)
		}
	}
}
