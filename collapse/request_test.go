package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

const sentence = "the quick brown fox jumps over the lazy dog while the cat looks on from the garden wall in the sun"

func TestSearchKeepsTheRequest(t *testing.T) {
	t.Parallel()
	index := newIndex(t, families(rand.New(rand.NewPCG(3, 3)), 60, 80))
	r := bleve.NewSearchRequest(bleve.NewMatchQuery("common"))
	r.Fields = []string{"project"}
	r.AddFacet("project", bleve.NewFacetRequest("project", 5))
	r.Highlight = bleve.NewHighlight()
	before, _ := json.Marshal(r)
	res, err := collapse.Search(context.Background(), index, r, collapse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal(r); string(after) != string(before) {
		t.Errorf("the request was %s, is %s", before, after)
	}
	plain, err := index.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Total != plain.Total || res.MaxScore != plain.MaxScore || !reflect.DeepEqual(res.Facets, plain.Facets) {
		t.Error("total, maximal score or facets are not bleve's own")
	}
	for _, hit := range res.Hits {
		if len(hit.Fields) != 1 || hit.Fields["project"] == nil {
			t.Errorf("hit %s has the fields %v, want project alone", hit.ID, hit.Fields)
		}
		if len(hit.Fragments["body"]) == 0 {
			t.Errorf("hit %s is not highlighted", hit.ID)
		}
	}
	// bleve loads twice what is named beside "*".
	r.Size, r.Fields = 1000, []string{"*", signature.Field(signature.DefaultField).Sketch()}
	for name, x := range map[string]bleve.Index{"local": index, "remote": stranger{index}, "alias": bleve.NewIndexAlias(index), "part": remotely(index)} {
		for _, o := range []collapse.Options{{}, {Whole: true}, {Head: newest}} {
			if o.Whole && (name == "remote" || name == "part") {
				continue
			}
			got, err := collapse.Search(context.Background(), x, r, o)
			if err != nil {
				t.Fatal(err)
			}
			hit := got.Hits[0]
			if sketch, ok := hit.Fields[signature.Field(signature.DefaultField).Sketch()].(string); !ok || sketch == "" {
				t.Errorf("%s: the sketch was named, but is %v", name, hit.Fields[signature.Field(signature.DefaultField).Sketch()])
			}
			if _, ok := hit.Fields[signature.Field(signature.DefaultField).Simhash()]; ok {
				t.Errorf("%s: the simhash was not named, but is there", name)
			}
			if len(got.Damaged) > 0 || got.Hidden == 0 {
				t.Errorf("%s: %d damaged, %d hidden", name, len(got.Damaged), got.Hidden)
			}
		}
	}
}

// stranger is a remote index that knows nothing of parts.
type stranger struct{ inner }

func (stranger) Advanced() (index.Index, error) { return nil, errors.New("remote") }

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
