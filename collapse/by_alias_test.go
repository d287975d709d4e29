package collapse_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// An alias of one plain index is as the index: its values are doc values, which no stored field tells.
func TestByOrInAliasOfOne(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	shop := bleve.NewKeywordFieldMapping()
	shop.Store = false
	m.DefaultMapping.AddFieldMappingsAt("shop", shop)
	x, err := bleve.NewMemOnly(m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.SetName("offers")
	for i := range 6 {
		if err := x.Index(fmt.Sprint("o", i), map[string]any{"shop": fmt.Sprint("s", i/3)}); err != nil {
			t.Fatal(err)
		}
	}
	alias := bleve.NewIndexAlias(x)
	alias.SetName("all")
	for name, in := range map[string]bleve.Index{"alone": x, "alias": alias, "alias of an alias": bleve.NewIndexAlias(alias)} {
		o := collapse.Options{By: &collapse.By{Field: "shop", Or: true}, Missing: collapse.KeepMissing}
		res, err := collapse.Search(context.Background(), in, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), o)
		if err != nil || len(res.Groups) != 2 {
			t.Errorf("%s: wanted 2 groups, got %+v, error %v", name, res, err)
		}
	}
}
