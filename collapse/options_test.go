package collapse_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
)

// unsigned adds to some of families documents without a signature, and ones with that
// of an empty text.
func unsigned(seed uint64) map[string]page {
	rnd := rand.New(rand.NewPCG(seed, seed))
	docs := families(rnd, size(150, 70), size(100, 60))
	for i := range size(40, 20) {
		docs[fmt.Sprintf("d%05d", rnd.IntN(100000))] = page{Body: []string{"", "..."}[i%2], Version: float64(rnd.IntN(4)), Project: "bare"}
	}
	return docs
}

// Without options to collapse by, a request is byte for byte answered by bleve.
func TestPlain(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(12))
	request := func() *bleve.SearchRequest {
		r := bleve.NewSearchRequest(bleve.NewMatchQuery("common"))
		r.Fields = []string{"*"}
		r.Highlight = bleve.NewHighlight()
		r.SortBy([]string{"-version", "_id"})
		r.SearchAfter = []string{"2", "d5"}
		r.AddFacet("project", bleve.NewFacetRequest("project", 5))
		return r
	}
	want, err := index.Search(request())
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&serve.Request{SearchRequest: request()}).Search(context.Background(), index)
	if err != nil {
		t.Fatal(err)
	}
	got.Took, got.Cost = want.Took, want.Cost // of a second search, with what the first read
	a, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%d bytes differ from bleve's %d", len(a), len(b))
	}
}

func TestOptionsErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    collapse.Options
		want string
	}{
		{collapse.Options{Missing: "lose"}, `missing: wanted "keep", "drop" or "group", got "lose"`},
		{collapse.Options{InnerHits: []collapse.InnerHits{{}}}, `inner_hits: wanted names that differ, got ""`},
		{collapse.Options{InnerHits: []collapse.InnerHits{{Name: "a"}, {Name: "a"}}}, `got "a"`},
		{collapse.Options{InnerHits: []collapse.InnerHits{{Name: "a", From: -2}}}, `inner_hits "a": wanted size and from of 0 or more, got 0 and -2`},
	} {
		_, err := collapse.Search(context.Background(), newIndex(t, nil), bleve.NewSearchRequest(bleve.NewMatchAllQuery()), tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got error %v, want one with %s", err, tt.want)
		}
	}
}

func TestInnerHitsJSON(t *testing.T) {
	t.Parallel()
	var got collapse.InnerHits
	if err := json.Unmarshal([]byte(`{"name":"a","sort":["-version"],"fields":["title"]}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "a" || got.Size != 3 || len(got.Sort) != 1 || !reflect.DeepEqual(got.Fields, []string{"title"}) {
		t.Errorf("got %+v", got)
	}
	for data, want := range map[string]string{
		`{"nome":"a"}`:              `got "nome"`,
		`{"name":"a","sort":[{}]}`:  `inner_hits "a": sort: `,
		`{"name":"a","size":"big"}`: "inner_hits: ",
	} {
		if err := json.Unmarshal([]byte(data), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", data, err, want)
		}
	}
}
