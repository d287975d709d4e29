package collapse_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// A search that cannot be answered is an error that says what was wanted and what came.
func TestSearchErrors(t *testing.T) {
	t.Parallel()
	x := newIndex(t, unsigned(73))
	by := func(change func(*bleve.SearchRequest)) *bleve.SearchRequest {
		r := byID(bleve.NewMatchAllQuery())
		change(r)
		return r
	}
	after := func(change func(*bleve.SearchRequest)) *bleve.SearchRequest {
		return by(func(r *bleve.SearchRequest) { r.SearchAfter = []string{"d9"}; change(r) })
	}
	same := func(*bleve.SearchRequest) {}
	plain, keyed := by(same), after(same)
	v := signature.Verify{Resemblance: .8}
	for _, tt := range []struct {
		x    bleve.Index
		r    *bleve.SearchRequest
		o    collapse.Options
		want string
		is   error // ErrRequest if it is nil
	}{
		{x: nil, r: plain, want: "wanted an index"},
		{x: x, want: "wanted a request"},
		{x: x, r: &bleve.SearchRequest{}, want: "with a query"},
		{x: x, r: by(func(r *bleve.SearchRequest) { r.Size = -1 }), want: "size and from of 0 or more, got -1"},
		{x, by(func(r *bleve.SearchRequest) { r.From = 3 }), collapse.Options{Cursor: &collapse.Cursor{}}, "a cursor needs from 0, got 3", nil},
		{x, plain, collapse.Options{Budget: -5}, "budget: wanted 0 or more, got -5", nil},
		{x, plain, collapse.Options{Rule: signature.Rule{Hamming: 65}}, "hamming: wanted -1 to 64, got 65", nil},
		{x, plain, collapse.Options{Rule: signature.Rule{Lanes: 101}}, "lanes: wanted 0 to 100, as many as its sketches have, got 101", nil},
		{x, by(func(r *bleve.SearchRequest) { r.Sort = nil }), collapse.Options{Cursor: &collapse.Cursor{After: []string{"x"}}}, "cursor: wanted a key", nil},
		{x, plain, collapse.Options{Cursor: &collapse.Cursor{Taken: -1}}, "taken: wanted 0 to", nil},
		{x, plain, collapse.Options{Head: newest, Visible: 2}, "head cannot be combined with visible", nil},
		{x, keyed, collapse.Options{Head: newest, Whole: true}, "head cannot be combined with search_after", nil},
		{x, plain, collapse.Options{Missing: "lose"}, `missing: wanted "keep" or "drop", got "lose"`, nil},
		{x, plain, collapse.Options{InnerHits: []collapse.InnerHits{{}}}, `inner_hits: wanted names that differ, got ""`, nil},
		{x, plain, collapse.Options{InnerHits: []collapse.InnerHits{{Name: "a"}, {Name: "a"}}}, `got "a"`, nil},
		{x, plain, collapse.Options{InnerHits: []collapse.InnerHits{{Name: "a", From: -2}}}, `inner_hits "a": wanted size and from of 0 or more, got 0 and -2`, nil},
		{x, keyed, collapse.Options{Budget: 50}, "among the first 50 hits, the budget, got one beyond", collapse.ErrTooMany},
		{x: x, r: after(func(r *bleve.SearchRequest) { r.From = 1 }), want: "cannot use search after with from"},
		{x: x, r: after(func(r *bleve.SearchRequest) { r.SearchBefore = []string{"a"} }), want: "search after and search before together"},
		{x: x, r: after(func(r *bleve.SearchRequest) { r.SearchAfter = []string{"a", "b"} }), want: "same size as sort order"},
		{x, after(func(r *bleve.SearchRequest) { r.SearchAfter = []string{"a", "b"} }), collapse.Options{Whole: true}, "same size as sort order", nil},
		{x, keyed, collapse.Options{Cursor: &collapse.Cursor{}}, "a cursor cannot be combined with search_after or search_before", nil},
		{x: x, r: after(func(r *bleve.SearchRequest) { r.Score, r.Sort = "rrf", nil }), want: "search after"},
		{x, plain, collapse.Options{Whole: true, Budget: 50}, "", collapse.ErrTooMany},
		{x, plain, collapse.Options{Whole: true, Cursor: &collapse.Cursor{}}, "whole cannot be combined with a cursor", nil},
		{x, plain, collapse.Options{Whole: true, Rule: signature.Rule{Lanes: 200}}, "as many as its sketches have", nil},
		{remotely(x), plain, collapse.Options{Whole: true}, "whole needs a local index or an alias of local ones", nil},
		{bleve.NewIndexAlias(x, remotely(x)), plain, collapse.Options{Whole: true}, "whole needs a local index", nil},
		{x, plain, collapse.Options{Verify: signature.Verify{Resemblance: 2}}, "verify: resemblance: wanted 0.3 to 1, or 0, got 2", nil},
		{x, plain, collapse.Options{Verify: v, By: &collapse.By{Field: "a"}}, "verify cannot be combined with by unless or", nil},
		{afar{x}, plain, collapse.Options{Verify: v}, "verify needs a local index", nil},
		{bleve.NewIndexAlias(x, afar{x}), plain, collapse.Options{Verify: v}, "verify needs a local index", nil},
	} {
		_, err := collapse.Search(t.Context(), tt.x, tt.r, tt.o)
		if is := tt.is; err == nil || !strings.Contains(err.Error(), tt.want) || is != nil && !errors.Is(err, is) || is == nil && !errors.Is(err, collapse.ErrRequest) {
			t.Errorf("got error %v, want one with %q", err, tt.want)
		}
	}
	if _, err := collapse.Search(t.Context(), x, bleve.NewSearchRequest(bleve.NewQueryStringQuery(`"open`)), collapse.Options{}); err == nil || !strings.Contains(err.Error(), "parse error") {
		t.Errorf("bleve's own: got error %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := collapse.Search(cancelled, x, plain, collapse.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}

	match := bleve.NewMatchQuery("common")
	for _, tt := range []struct {
		q    *collapse.Query
		is   error
		want string
	}{
		{collapse.NewQuery(nil, collapse.Options{}), collapse.ErrRequest, "wanted a query to collapse, got none"},
		{collapse.NewQuery(match, collapse.Options{Missing: "lose"}), collapse.ErrRequest, `missing: wanted "keep" or "drop", got "lose"`},
		{collapse.NewQuery(match, collapse.Options{Complete: true}), collapse.ErrRequest, "explain and a cursor need a Search"},
		{collapse.NewQuery(match, collapse.Options{Head: search.SortOrder{nil}}), collapse.ErrRequest, "head: wanted sort fields, got nil"},
		{collapse.NewQuery(match, collapse.Options{Rule: signature.Rule{Lanes: 101}}), collapse.ErrRequest, "as many as its sketches have"},
		{collapse.NewQuery(match, collapse.Options{Budget: 10}), collapse.ErrTooMany, "wanted at most 10 matches, got more"},
	} {
		_, err := x.Search(bleve.NewSearchRequest(tt.q))
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("query: got error %v, want one with %q", err, tt.want)
		}
	}
	if _, err := x.SearchInContext(cancelled, bleve.NewSearchRequest(collapse.NewQuery(match, collapse.Options{}))); !errors.Is(err, context.Canceled) {
		t.Errorf("query, cancelled: got %v", err)
	}
}

// What JSON cannot say is an error that says where.
func TestJSONErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		into       any
		text, want string
	}{
		{new(collapse.Options), `{"by":{}}`, "by: field: wanted the name of a field, got none"},
		{new(collapse.Options), `{"by":{"field":"a","most":2}}`, "by: most needs or, got 2 without"},
		{new(collapse.Options), `{"by":{"field":"a","most":-1}}`, "by: most: wanted 0 or more, got -1"},
		{new(collapse.Options), `{"by":{"field":"a","n":1}}`, `got "n"`},
		{new(collapse.Options), `{"by":{"field":1}}`, "field: wanted a string, got a number"},
		{new(collapse.Options), `{"within":["a","a"]}`, `wanted fields that differ, got "a" twice`},
		{new(collapse.Options), `{"within":["a"],"by":{"field":"a"}}`, `wanted fields that differ, got "a" twice`},
		{new(collapse.Options), `{"within":[""]}`, "within: wanted names of fields, got an empty one"},
		{new(collapse.Options), `{"within":"a"}`, "within: wanted a list, got a string"},
		{new(collapse.Options), `{"head":[{"by":"no"}]}`, "options: head: "},
		{new(collapse.InnerHits), `{"nome":"a"}`, `got "nome"`},
		{new(collapse.InnerHits), `{"name":"a","sort":[{}]}`, `inner_hits "a": sort: `},
		{new(collapse.InnerHits), `{"name":"a","size":"big"}`, "inner_hits: "},
		{new(collapse.InnerResult), `{"hits":5}`, ""},
		{new(collapse.InnerResult), `{"hits":[{"id":5}]}`, ""},
	} {
		if err := json.Unmarshal([]byte(tt.text), tt.into); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got error %v, want one with %q", tt.text, err, tt.want)
		}
	}
	var in collapse.InnerHits
	if err := json.Unmarshal([]byte(`{"name":"a","sort":["-version"],"fields":["title"]}`), &in); err != nil {
		t.Fatal(err)
	}
	if in.Name != "a" || in.Size != 3 || len(in.Sort) != 1 || !reflect.DeepEqual(in.Fields, []string{"title"}) {
		t.Errorf("got %+v", in)
	}
}

// The numbers of a cursor, which are added up, are not taken for what they cannot be.
func TestCursorNumbers(t *testing.T) {
	t.Parallel()
	index := newIndex(t, map[string]page{"a": {Body: sentence}, "b": {Body: "another quick fox"}})
	for _, tt := range []struct {
		c    collapse.Cursor
		want error
	}{
		{collapse.Cursor{Taken: math.MaxInt}, collapse.ErrRequest},
		{collapse.Cursor{Taken: math.MaxInt - 20, After: []string{"1", "a"}}, collapse.ErrRequest},
		{collapse.Cursor{Taken: indexes.MostHits + 1}, collapse.ErrRequest},
		{collapse.Cursor{Taken: indexes.MostHits}, nil},
		{collapse.Cursor{Taken: indexes.MostHits, After: []string{"1", "a"}, Left: math.MaxUint64}, nil},
		{collapse.Cursor{Taken: 1, After: []string{"0.5", "a"}, Left: math.MaxUint64}, nil},
		{collapse.Cursor{Taken: 1, After: []string{"-Inf", "a"}}, nil},
		{collapse.Cursor{Taken: 1, After: []string{"NaN", "a"}}, collapse.ErrRequest},
		{collapse.Cursor{Taken: 1, After: []string{"", "a"}}, collapse.ErrRequest},
	} {
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		if _, err := collapse.Search(t.Context(), index, r, collapse.Options{Cursor: &tt.c}); !errors.Is(err, tt.want) {
			t.Errorf("%s: got error %v, want %v", fmt.Sprintf("%+v", tt.c), err, tt.want)
		}
	}
}
