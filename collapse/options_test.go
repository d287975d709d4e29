package collapse_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
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

func TestModesAgainstOracle(t *testing.T) {
	t.Parallel()
	index := newIndex(t, unsigned(11))
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.SortBy([]string{"-version"})
	all := rank(t, index, r)
	sizes := []int{9, 1000}
	if testing.Short() {
		sizes = []int{23}
	}
	for _, missing := range []collapse.Missing{"", collapse.KeepMissing, collapse.DropMissing, collapse.GroupMissing} {
		for _, visible := range []int{-1, 0, 1, 2, 5} {
			t.Run(fmt.Sprintf("%s,%d", missing, visible), func(t *testing.T) {
				t.Parallel()
				o := collapse.Options{Missing: missing, Visible: visible}
				compareTo(t, index, r, o, all.collapsed(o), sizes...)
			})
		}
	}
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

func TestInnerHits(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for i := range 40 {
		docs[fmt.Sprintf("%02d", i)] = page{Body: fmt.Sprintf("%s %s", strings.Repeat(fmt.Sprint("kind", i%4, " of thing "), 8), sentence), Version: float64(i)}
	}
	index := newIndex(t, docs)
	match := bleve.NewMatchQuery("thing")
	match.SetField("body")
	r := bleve.NewSearchRequest(match)
	r.SortBy([]string{"_id"})
	o := collapse.Options{
		Rule: signature.Rule{Lanes: 100, Mode: signature.SketchOnly},
		InnerHits: []collapse.InnerHits{
			{Name: "newest", Size: 2, From: 1, Sort: search.SortOrder{&search.SortField{Field: "version", Desc: true}}, Fields: []string{"version"}, Highlight: bleve.NewHighlight()},
			{Name: "as ranked", Size: 100},
			{Name: "count"},
		},
	}
	for _, o.Whole = range []bool{false, true} {
		checkInnerHits(t, index, r, o)
	}
}

func checkInnerHits(t *testing.T, index bleve.Index, r *bleve.SearchRequest, o collapse.Options) {
	t.Helper()
	res, err := collapse.Search(context.Background(), index, r, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Groups) != 4 {
		t.Fatalf("got %d groups, want 4", len(res.Groups))
	}
	for n, g := range res.Groups {
		newest, ranked, count := g.InnerHits["newest"], g.InnerHits["as ranked"], g.InnerHits["count"]
		if newest.Total != 9 || newest.TotalRelation != bleve.TotalRelationEq || ranked.Total != 9 || count.Total != 9 || len(count.Hits) != 0 {
			t.Errorf("group %d: totals %d (%s), %d, %d; want 9 (eq) each", n, newest.Total, newest.TotalRelation, ranked.Total, count.Total)
		}
		var ids []string
		for _, hit := range newest.Hits {
			ids = append(ids, hit.ID)
			if len(hit.Fields) != 1 || len(hit.Fragments["body"]) == 0 {
				t.Errorf("%s: fields %v, fragments %v", hit.ID, hit.Fields, hit.Fragments)
			}
		}
		if want := []string{fmt.Sprint(32 + n), fmt.Sprint(28 + n)}; !slices.Equal(ids, want) {
			t.Errorf("group %d: newest are %v, want %v", n, ids, want)
		}
		for i, hit := range ranked.Hits {
			if m := g.Members[i]; hit.ID != m.ID || hit.Score != m.Score || hit.Fields != nil {
				t.Errorf("group %d: %s (%v, fields %v) at %d, want %s (%v)", n, hit.ID, hit.Score, hit.Fields, i, m.ID, m.Score)
			}
		}
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
