package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// offers are 90 offers of 30 shops, the first 3 of shop 0, and 10 of none.
func offers(t *testing.T) bleve.Index {
	t.Helper()
	docs := map[string]page{}
	for i := range 90 {
		docs[fmt.Sprintf("o%03d", i)] = page{Body: fmt.Sprint("offer ", i), Project: fmt.Sprint("shop ", i/3), Version: float64(i)}
	}
	for i := range 10 {
		docs[fmt.Sprintf("o%03d", 90+i)] = page{Body: fmt.Sprint("offer ", 90+i), Version: float64(90 + i)}
	}
	return newIndex(t, docs)
}

func offered(t *testing.T, x bleve.Index, size, from int, o collapse.Options) *collapse.Result {
	t.Helper()
	r := byID(bleve.NewMatchAllQuery())
	r.Size, r.From = size, from
	r.AddFacet("shops", bleve.NewFacetRequest("project", 100))
	res, err := collapse.Search(context.Background(), x, r, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// byShop folds by the field project.
func byShop() collapse.Options { return collapse.Options{By: &collapse.By{Field: "project"}} }

// A patch that gave bleve collapse by a key (bleve#2251) had six weak points. Here is a test of
// each.

// A page past the end is empty, and one beyond the budget an error that says so.
func TestByPastTheEnd(t *testing.T) {
	t.Parallel()
	x := offers(t)
	for _, whole := range []bool{false, true} {
		o := byShop()
		o.Whole = whole
		if res := offered(t, x, 10, 40, o); len(res.Hits) != 0 || res.TotalGroups != 40 || res.TotalGroupsRelation != bleve.TotalRelationEq {
			t.Errorf("whole %v: %d hits past the end, %d groups %s", whole, len(res.Hits), res.TotalGroups, res.TotalGroupsRelation)
		}
	}
	o := byShop()
	o.Budget = 60 // 20 shops
	r := byID(bleve.NewMatchAllQuery())
	r.From = 25
	_, err := collapse.Search(context.Background(), x, r, o)
	if !errors.Is(err, collapse.ErrTooMany) || !strings.Contains(err.Error(), "from: wanted less than the 20 hits that a budget of 60 shows, got 25") {
		t.Errorf("beyond the budget: got error %v", err)
	}
	for _, size := range []int{1000, math.MaxInt} { // all within the budget
		if res := offered(t, x, size, 0, o); len(res.Hits) != 20 || res.TotalGroups != 20 || res.TotalGroupsRelation != bleve.TotalRelationGte || res.Next == nil {
			t.Errorf("size %d: %d hits, %d groups %s, next %v", size, len(res.Hits), res.TotalGroups, res.TotalGroupsRelation, res.Next)
		}
		if res := offered(t, x, size, 0, byShop()); len(res.Hits) != 40 || res.TotalGroupsRelation != bleve.TotalRelationEq || res.Next != nil {
			t.Errorf("size %d: %d hits %s, next %v; want all 40", size, len(res.Hits), res.TotalGroupsRelation, res.Next)
		}
	}
}

// bleve gives the doc values of IP addresses in pieces. Addresses of the same pieces in another order differ.
func TestByAddress(t *testing.T) {
	t.Parallel()
	m := newMapping("")
	m.DefaultMapping.AddFieldMappingsAt("address", bleve.NewIPFieldMapping())
	for _, open := range []func() (bleve.Index, error){
		func() (bleve.Index, error) { return plugin.New("", m) },
		func() (bleve.Index, error) { return bleve.New("", m) },
	} {
		x, err := open()
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		for i, address := range []string{"10.255.11.1", "11.1.255.10", "10.255.11.1", "10.11.1.255", "1.255.1.2", "1.2.255.1", "1.2.255.1"} {
			if err := x.Index(fmt.Sprint(i), map[string]any{"body": fmt.Sprint("text ", i), "address": address}); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the second time, some might be in memory
			for _, whole := range []bool{false, true} {
				res := offered(t, x, 10, 0, collapse.Options{By: &collapse.By{Field: "address"}, Whole: whole})
				var heads []string
				for _, hit := range res.Hits {
					heads = append(heads, hit.ID)
				}
				if want := []string{"0", "1", "3", "4", "5"}; !slices.Equal(heads, want) {
					t.Errorf("whole %v: got heads %v, want %v", whole, heads, want)
				}
			}
		}
	}
}

func TestByWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"by":{}}`:                           "by: field: wanted the name of a field, got none",
		`{"by":{"field":"a","most":2}}`:       "by: most needs or, got 2 without",
		`{"by":{"field":"a","most":-1}}`:      "by: most: wanted 0 or more, got -1",
		`{"by":{"field":"a","n":1}}`:          `got "n"`,
		`{"by":{"field":1}}`:                  "field: wanted a string, got a number",
		`{"within":["a","a"]}`:                `wanted fields that differ, got "a" twice`,
		`{"within":["a"],"by":{"field":"a"}}`: `wanted fields that differ, got "a" twice`,
		`{"within":[""]}`:                     "within: wanted names of fields, got an empty one",
		`{"within":"a"}`:                      "within: wanted a list, got a string",
		`{"filter":{"match":1}}`:              "filter: ",
		`{"head":[{"by":"no"}]}`:              "options: head: ",
	} {
		if err := json.Unmarshal([]byte(text), new(collapse.Options)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", text, err, want)
		}
	}
}
