package collapse_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
)

// The parser is in bleve's place for it before any test: tests in parallel read it.
func init() { query.CustomFilterQueryParser = serve.Parser(nil) }

// remote is an index that is reached by JSON alone.
type remote struct{ inner }

func (r remote) SearchInContext(ctx context.Context, request *bleve.SearchRequest) (*bleve.SearchResult, error) {
	data, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var there bleve.SearchRequest
	if err := json.Unmarshal(data, &there); err != nil {
		return nil, err
	}
	res, err := r.inner.SearchInContext(ctx, &there)
	if err != nil {
		return nil, err
	}
	if data, err = json.Marshal(res); err != nil {
		return nil, err
	}
	back := new(bleve.SearchResult)
	return back, json.Unmarshal(data, back)
}

// A Query that went to another process finds the same, below an alias too.
func TestQueryJSON(t *testing.T) {
	index := newIndex(t, unsigned(24))
	match := bleve.NewMatchQuery("common w3")
	match.SetField("body")
	q := collapse.NewQuery(match, collapse.Options{
		Rule: signature.Rule{Lanes: 95, Hamming: 1}, Visible: 2, Missing: collapse.DropMissing,
		Head: search.SortOrder{&search.SortField{Field: "version", Desc: true}, &search.SortScore{Desc: true}}, Budget: 5000,
	})
	r := bleve.NewSearchRequestOptions(bleve.NewConjunctionQuery(q, bleve.NewMatchAllQuery()), 500, 0, false)
	r.SortBy([]string{"_id"})
	want, err := index.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := bleve.NewIndexAlias(remote{index}).SearchInContext(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got.Total != want.Total || want.Total == 0 || len(got.Hits) != len(want.Hits) {
		t.Fatalf("total %d, %d hits; want %d, %d", got.Total, len(got.Hits), want.Total, len(want.Hits))
	}
	for i, hit := range got.Hits {
		if hit.ID != want.Hits[i].ID {
			t.Errorf("hit %d is %s, want %s", i, hit.ID, want.Hits[i].ID)
		}
	}
}

func TestParserErrors(t *testing.T) {
	t.Parallel()
	own := func([]byte) (query.Query, error) { return bleve.NewMatchNoneQuery(), nil }
	if q, err := serve.Parser(own)([]byte(`{"custom_filter":{"mine":1}}`)); err != nil || q == nil {
		t.Errorf("another filter: got %v, error %v", q, err)
	}
	for data, want := range map[string]string{
		`{"custom_filter":{"mine":1}}`: `such as "collapse", got ["mine"]`,
		`{"custom_filter":7}`:          "cannot unmarshal",
		`{"custom_filter":{"collapse":{},"query":{"match_all":{}},"more":1}}`:           `got "more"`,
		`{"custom_filter":{"collapse":{"visable":1},"query":{"match_all":{}}}}`:         `got "visable"`,
		`{"custom_filter":{"collapse":null,"query":{"match_all":{}}}}`:                  `wanted a member "collapse", got none`,
		`{"custom_filter":{"collapse":{"budget":-1},"query":{"match_all":{}}}}`:         "budget: wanted 0 or more, got -1",
		`{"custom_filter":{"collapse":{"head":[{"by":"x"}]},"query":{"match_all":{}}}}`: "head: ",
		`{"custom_filter":{"collapse":{},"query":{"nothing":1}}}`:                       "unknown query type",
	} {
		if _, err := serve.Parser(nil)([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", data, err, want)
		}
	}
}
