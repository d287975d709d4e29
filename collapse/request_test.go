package collapse_test

import (
	"context"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

const sentence = "the quick brown fox jumps over the lazy dog while the cat looks on from the garden wall in the sun"

func TestSearchSizeZero(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}, "b": {Body: sentence}})
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.Size = 0
	res, err := collapse.Search(context.Background(), index, r, collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Total != 2 || len(res.Hits) != 0 || res.TotalGroupsRelation != bleve.TotalRelationGte || res.Next != nil {
		t.Errorf("got %+v", res)
	}
	none := bleve.NewSearchRequest(bleve.NewMatchNoneQuery())
	if res, err = collapse.Search(context.Background(), index, none, collapse.Options{}); err != nil {
		t.Fatal(err)
	}
	if len(res.Hits) != 0 || res.Hits == nil || res.TotalGroups != 0 || res.TotalGroupsRelation != bleve.TotalRelationEq {
		t.Errorf("no match: got %+v", res)
	}
}
