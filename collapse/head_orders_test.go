package collapse_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// headed is an index of copies with values that are missing, several, cut by bleve's separator, and
// in several segments.
func headed(t *testing.T) bleve.Index {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	for name, field := range map[string]*mapping.FieldMapping{
		"tag": bleve.NewKeywordFieldMapping(), "price": bleve.NewNumericFieldMapping(), "at": bleve.NewDateTimeFieldMapping(),
		"where": bleve.NewGeoPointFieldMapping(), "stock": bleve.NewBooleanFieldMapping(),
	} {
		m.DefaultMapping.AddFieldMappingsAt(name, field)
	}
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	rnd := rand.New(rand.NewPCG(17, 1))
	tags := []string{"a", "b", "b\xffa", "c\xff\xff", "\xfe", "zz"}
	for part := range 4 {
		batch := x.NewBatch()
		for n := range 40 {
			doc := map[string]any{"body": fmt.Sprintf("fox number %d ", n/2%6) + strings.Repeat(fmt.Sprint("the quick brown fox ", n/2%6, " "), 20+n%3)}
			if rnd.IntN(4) > 0 {
				doc["tag"] = []any{tags[rnd.IntN(6)], tags[rnd.IntN(6)]}[:1+rnd.IntN(2)]
			}
			if rnd.IntN(4) > 0 {
				doc["price"] = []any{float64(rnd.IntN(9)) - 4, float64(rnd.IntN(5))}[:1+rnd.IntN(2)]
			}
			if rnd.IntN(4) > 0 {
				doc["at"] = fmt.Sprintf("2026-01-%02dT00:00:00Z", 1+rnd.IntN(20))
				doc["stock"] = rnd.IntN(2) > 0
				doc["where"] = map[string]any{"lon": float64(rnd.IntN(90)), "lat": float64(rnd.IntN(60))}
			}
			if err := batch.Index(fmt.Sprintf("d%03d", (part*40+n)*37%160), doc); err != nil {
				t.Fatal(err)
			}
		}
		flush(t, x, batch)
	}
	return x
}

// TestHeadOrders compares the head of each group with the first of its hits that bleve finds in that
// order, and the hit that is shown with bleve's own.
func TestHeadOrders(t *testing.T) {
	t.Parallel()
	x := headed(t)
	near, err := search.NewSortGeoDistance("where", "km", 10, 10, true)
	if err != nil {
		t.Fatal(err)
	}
	orders := []search.SortOrder{
		{&search.SortField{Field: "tag"}},
		{&search.SortField{Field: "tag", Desc: true, Mode: search.SortFieldMax}},
		{&search.SortField{Field: "tag", Mode: search.SortFieldMin, Missing: search.SortFieldMissingFirst}},
		{&search.SortField{Field: "price", Type: search.SortFieldAsNumber}, &search.SortField{Field: "tag", Desc: true}},
		{&search.SortField{Field: "price", Mode: search.SortFieldMax, Desc: true}, &search.SortField{Field: "price"}},
		{&search.SortField{Field: "at", Type: search.SortFieldAsDate, Desc: true}, &search.SortScore{Desc: true}},
		{&search.SortField{Field: "stock"}, &search.SortDocID{Desc: true}},
		{&search.SortField{Field: "body"}},
		{&search.SortScore{}, &search.SortField{Field: "absent"}},
		{&search.SortDocID{Desc: true}},
		{near},
	}
	for _, by := range []search.SortOrder{nil, {&search.SortField{Field: "at"}, &search.SortDocID{}}} {
		all, err := x.Search(asked(by, 1000))
		if err != nil {
			t.Fatal(err)
		}
		own := map[string]*search.DocumentMatch{}
		for _, hit := range all.Hits {
			own[hit.ID] = hit
		}
		for i, order := range orders {
			for _, complete := range []bool{false, true} {
				t.Run(fmt.Sprint(i, len(by), complete), func(t *testing.T) { checkHeadOrder(t, x, order, by, complete, own) })
			}
		}
	}
}

// asked is a search that has all to tell of its hits.
func asked(by search.SortOrder, size int) *bleve.SearchRequest {
	r := bleve.NewSearchRequestOptions(bleve.NewMatchQuery("number quick fox"), size, 0, true)
	r.Fields, r.Highlight, r.IncludeLocations = []string{"tag", "price"}, bleve.NewHighlight(), true
	if by != nil {
		r.Sort = by.Copy()
	}
	return r
}

func checkHeadOrder(t *testing.T, x bleve.Index, order, by search.SortOrder, complete bool, own map[string]*search.DocumentMatch) {
	got, err := collapse.Search(context.Background(), x, asked(by, 4), collapse.Options{Head: order, Complete: complete})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Groups) != 4 || complete != got.Complete {
		t.Fatalf("%d groups, complete %v", len(got.Groups), got.Complete)
	}
	for n, g := range got.Groups {
		ids := append([]string{g.Head.ID}, memberIDs(g)...)
		named := bleve.NewDocIDQuery(ids)
		named.SetBoost(0)
		first := bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(asked(nil, 0).Query, named), 1, 0, false)
		first.Sort = append(order.Copy(), &search.SortDocID{})
		want, err := x.Search(first)
		if err != nil {
			t.Fatal(err)
		}
		if g.Head.ID != want.Hits[0].ID || got.Hits[n].ID != g.Head.ID {
			t.Errorf("group %d shows %s, want %s of %q", n, g.Head.ID, want.Hits[0].ID, ids)
		}
		shown, plain := *got.Hits[n], *own[g.Head.ID]
		for _, hit := range []*search.DocumentMatch{&shown, &plain} {
			hit.HitNumber, hit.IndexInternalID, hit.FieldTermLocations, hit.DecodedSort = 0, nil, nil, nil
		}
		if shown.Expl == nil || shown.Locations == nil || shown.Fragments == nil {
			t.Fatalf("shown %+v", shown)
		}
		if complete { // the explanation names the query by ids
			shown.Expl, plain.Expl = nil, nil
		}
		a, b := reflect.ValueOf(shown), reflect.ValueOf(plain)
		for i := range a.NumField() {
			if field := a.Type().Field(i); field.IsExported() && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
				t.Errorf("hit %s: %s is %v, want %v", shown.ID, field.Name, a.Field(i), b.Field(i))
			}
		}
	}
}
