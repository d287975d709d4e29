package column

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
)

// The scope of a document is that of its terms, also where these have the bytes at which doc values are cut.
func TestScopes(t *testing.T) {
	t.Parallel()
	x, _ := plainIndex(t, "", keyword.Name)
	rnd := rand.New(rand.NewPCG(3, 4))
	docs := map[string][]string{"none": nil, "cut": {"a\xffb"}, "both": {"a", "b"}, "all": {"a", "a\xffb", "b"}}
	for i := range 500 {
		own := make([]string, rnd.IntN(4))
		for k := range own {
			for range rnd.IntN(5) {
				own[k] += []string{"\xff", "\xff", "a", "b"}[rnd.IntN(4)]
			}
		}
		docs[fmt.Sprint(i)] = own
	}
	all := map[string]any{}
	for id, own := range docs {
		all[id] = map[string]any{"scope": own, "other": []string{"a", "\xff"}}
	}
	reader := put(t, x, all)
	scopes, err := Read(reader, "body").Scopes(reader, "scope")
	if err != nil {
		t.Fatal(err)
	}
	for id, own := range docs {
		doc, err := reader.InternalID(id)
		if err != nil || doc == nil {
			t.Fatal(id, err)
		}
		if got, err := scopes.Of(doc.Value()); got != ScopeOf(own...) || err != nil {
			t.Errorf("%q: got another scope, %v", own, err)
		}
	}
}
