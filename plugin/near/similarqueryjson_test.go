package near_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func TestSimilarJSON(t *testing.T) {
	t.Parallel()
	s, boost := signature.Of(signature.DefaultParams(), []byte(words(0, 30))), query.Boost(2)
	for _, q := range []*near.SimilarQuery{
		{ID: "a"},
		{Text: []string{"a", ""}, Field: "f", Rule: signature.Rule{Lanes: 95, Mode: signature.Both}, Backend: near.Terms},
		{Text: []string{""}, Scope: &near.Scope{Field: "f", Values: []string{"b"}}},
		{ID: "a", Plan: table.Plan{Bands: 5, Rows: 20, Tables: 10}},
		{Signature: &s, ID: "a", Self: true, MaxShare: .5, BoostVal: &boost},
	} {
		data, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := query.ParseQuery(data)
		if err != nil || !reflect.DeepEqual(got, q) {
			t.Errorf("%s: got %+v, error %v, want %+v", data, got, err, q)
		}
	}
	got, err := query.ParseQuery([]byte(`{"custom_filter": {"neardup": {"text": "one text"}}}`))
	if err != nil || !slices.Equal(got.(*near.SimilarQuery).Text, []string{"one text"}) {
		t.Errorf("one text: got %+v, error %v", got, err)
	}
}

// Queries that went to another process find the same: alone, in conjunctions, and
// within one of package collapse.
func TestRemoteQuery(t *testing.T) {
	t.Parallel()
	x := family(t)
	away := remote(t, x)
	filtered := query.NewBooleanQuery([]query.Query{&near.SimilarQuery{ID: "a"}}, nil, nil)
	filtered.AddFilter(bleve.NewDocIDQuery([]string{"b", "c"}))
	for _, q := range []query.Query{
		&near.SimilarQuery{Text: []string{words(0, 400)}},
		filtered,
		collapse.NewQuery(bleve.NewDisjunctionQuery(&near.SimilarQuery{ID: "a"}, bleve.NewDocIDQuery([]string{"other"})), collapse.Options{}),
		bleve.NewConjunctionQuery(collapse.NewQuery(bleve.NewMatchAllQuery(), collapse.Options{Visible: 3}), &near.SimilarQuery{ID: "a", Backend: near.Terms}),
	} {
		want := nearIDs(t, x, q)
		if got := nearIDs(t, bleve.NewIndexAlias(away), q); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%T: got %q, want %q", q, got, want)
		}
	}
}

func TestParserErrors(t *testing.T) {
	t.Parallel()
	own := func([]byte) (query.Query, error) { return bleve.NewMatchNoneQuery(), nil }
	if q, err := near.Parser(own)([]byte(`{"custom_filter":{"mine":1}}`)); err != nil || q == nil {
		t.Errorf("another filter: got %v, error %v", q, err)
	}
	for data, want := range map[string]string{
		`{"custom_filter":{"mine":1}}`: `such as "neardup", got ["mine"]`,
		`{"custom_filter":7}`:          "cannot unmarshal",
		`{"custom_filter":{"neardup":{"id":"a"},"query":{"match_all":{}}}}`:        `got "query"`,
		`{"custom_filter":{"neardup":{"id":"a"}},"boost":2}`:                       `got "boost"`,
		`{"custom_filter":{"neardup":{"id":"a","feild":"b"}}}`:                     `got "feild"`,
		`{"custom_filter":{"neardup":{"id":"a","scope":{"feild":"b"}}}}`:           `got "feild"`,
		`{"custom_filter":{"neardup":{"id":"a","rule":{"lane":1}}}}`:               `got "lane"`,
		`{"custom_filter":{"neardup":{"id":"a","rule":{"hamming":99}}}}`:           "hamming: wanted -1 to 64, got 99",
		`{"custom_filter":{"neardup":{"id":"a","text":"b"}}}`:                      "wanted one of text, signature and id",
		`{"custom_filter":{"neardup":{"text":null}}}`:                              "wanted one of text, signature and id",
		`{"custom_filter":{"neardup":{"text":7}}}`:                                 "text: wanted a string or a list of strings, got 7",
		`{"custom_filter":{"neardup":{"signature":"AAAA"}}}`:                       "signature",
		`{"custom_filter":{"neardup":{"id":"a","max_share":-1}}}`:                  "max_share: wanted 0 to 1, got -1",
		`{"custom_filter":{"neardup":{"id":"a","backend":"disk"}}}`:                `backend: wanted "memory" or "terms", got "disk"`,
		`{"custom_filter":{"neardup":{"id":"a","plan":{"bands":4}}}}`:              "plan: bands and rows: must both be 0",
		`{"custom_filter":{"neardup":{"id":"a","plan":{"tabels":4}}}}`:             `got "tabels"`,
		`{"custom_filter":{"neardup":{"id":"a","scope":{"values":["b"]}}}}`:        "scope: wanted the name of a field",
		`{"custom_filter":{"neardup":{"id":"a"},"collapse":{},"query":{"ids":1}}}`: "wanted members among",
	} {
		if q, err := near.Parser(nil)([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, error %v, want one with %q", data, q, err, want)
		}
	}
}
