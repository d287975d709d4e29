package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
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

func TestSearchErrors(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}})
	all := bleve.NewMatchAllQuery()
	with := func(change func(*bleve.SearchRequest)) *bleve.SearchRequest {
		r := bleve.NewSearchRequest(all)
		change(r)
		return r
	}
	plain := bleve.NewSearchRequest(all)
	for _, tt := range []struct {
		name  string
		index bleve.Index
		r     *bleve.SearchRequest
		o     collapse.Options
		want  string
	}{
		{"no index", nil, plain, collapse.Options{}, "wanted an index"},
		{"no request", index, nil, collapse.Options{}, "wanted a request"},
		{"no query", index, &bleve.SearchRequest{}, collapse.Options{}, "with a query"},
		{"size", index, with(func(r *bleve.SearchRequest) { r.Size = -1 }), collapse.Options{}, "size and from of 0 or more, got -1"},
		{"from with cursor", index, with(func(r *bleve.SearchRequest) { r.From = 3 }), collapse.Options{Cursor: &collapse.Cursor{}}, "a cursor needs from 0, got 3"},
		{"budget", index, plain, collapse.Options{Budget: -5}, "budget: wanted 0 or more, got -5"},
		{"rule", index, plain, collapse.Options{Rule: signature.Rule{Hamming: 65}}, "hamming: wanted -1 to 64, got 65"},
		{"lanes", index, plain, collapse.Options{Rule: signature.Rule{Lanes: 101}}, "lanes: wanted 0 to 100, as many as its sketches have, got 101"},
		{"key", index, plain, collapse.Options{Cursor: &collapse.Cursor{After: []string{"x"}}}, "cursor: wanted a key"},
		{"taken", index, plain, collapse.Options{Cursor: &collapse.Cursor{Taken: -1}}, "taken: wanted 0 to"},
		{"head and visible", index, plain, collapse.Options{Head: newest, Visible: 2}, "head cannot be combined with visible"},
		{"head and key", index, with(func(r *bleve.SearchRequest) {
			r.SortBy([]string{"_id"})
			r.SearchAfter = []string{"a"}
		}), collapse.Options{Head: newest, Whole: true}, "head cannot be combined with search_after"},
		{"bleve's own", index, with(func(r *bleve.SearchRequest) { r.Query = bleve.NewQueryStringQuery(`"open`) }), collapse.Options{}, "parse error"},
	} {
		_, err := collapse.Search(context.Background(), tt.index, tt.r, tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one with %q", tt.name, err, tt.want)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := collapse.Search(cancelled, index, plain, collapse.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

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
