package near_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// answer is what an index in another process does.
func answer(t *testing.T, x bleve.Index, r *bleve.SearchRequest) (*near.PassagesResult, error) {
	t.Helper()
	own, err := near.PassagesRequestOf(r)
	if err != nil {
		return nil, err
	}
	return near.Passages(t.Context(), x, own)
}

// A query comes back from JSON as it was, with what Find has read of a document, in any bytes.
func TestQueryJSON(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(95, 96))
	boost := query.Boost(2)
	text := some(rnd, 60)
	queries := []near.PassagesQuery{
		{Text: []string{"a", "\xff\xfe", "<&\u2028"}, MaxShare: .5, Least: 60, BoostVal: &boost, Field: "f"},
		{ID: "\xff", Self: true, Within: []string{"tag", "b"}},
	}
	for _, stored := range []bool{true, false} {
		x := newQuotingIndex(t, with(t, 50, func(body *mapping.FieldMapping, _ map[string]any) { body.Store = stored }))
		add(t, x, map[string]doc{"\xff": {values: []string{text, "\xff more"}, tag: "one"}})
		q, err := near.ReadPassages(t.Context(), x, near.PassagesQuery{ID: "\xff", Within: []string{"tag"}})
		if err != nil || q == nil {
			t.Fatal(q, err)
		}
		queries = append(queries, *q)
		other := newQuotingIndex(t, with(t, 50))
		add(t, other, map[string]doc{"b": {values: []string{"b " + text}, tag: "one"}, "c": {values: []string{"c " + text}, tag: "two"}})
		r := bleve.NewSearchRequest(q)
		res, err := answer(t, other, r)
		if err != nil || ids(res) != "b" || res.Hits[0].Verified != stored {
			t.Errorf("stored %v: got %+v, %v", stored, res, err)
		}
		if q, err := near.ReadPassages(t.Context(), other, near.PassagesQuery{ID: "\xff"}); q != nil || err != nil {
			t.Errorf("got %+v, %v of a document that is not there", q, err)
		}
	}
	parse := near.Parser(nil)
	for _, q := range queries {
		data, err := json.Marshal(&q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse(data)
		if err != nil || !reflect.DeepEqual(got, &q) {
			t.Errorf("%s: got %+v, %v, want %+v", data, got, err, &q)
		}
	}
	if got, err := parse([]byte(`{"custom_filter": {"neardup_passages": {"text": "one"}}}`)); err != nil || !reflect.DeepEqual(got, &near.PassagesQuery{Text: []string{"one"}}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := parse([]byte(`{"custom_filter": {"neardup_passages": {"text": null, "id": "a"}}}`)); err != nil || !reflect.DeepEqual(got, &near.PassagesQuery{ID: "a"}) {
		t.Errorf("no text: got %+v, %v", got, err)
	}
	for text, want := range map[string]string{
		`{"custom_filter": {"neardup_passages": {}}}`:                                         `wanted a text or an id, got none or both`,
		`{"custom_filter": {"neardup_passages": {"text": "a", "given": {}}}}`:                 `given: wanted the id of the document, got none`,
		`{"custom_filter": {"neardup_passages": {"id": "a", "given": {"selected": "AAAA"}}}}`: `given: `,
		`{"custom_filter": {"neardup_passages": {"id": "a", "given": {"template": "AAAA"}}}}`: ``,
		`{"custom_filter": {"neardup_passages": {"id": "a", "texts": 1}}}`:                    `got "texts"`,
		`{"custom_filter": {"neardup_passages": {"id": "a", "least": "1"}}}`:                  `least: wanted a whole number, got a string`,
		`{"custom_filter": {"neardup_passages": {"text": 1}}}`:                                `text: wanted a string or a list of strings, got 1`,
		`{"custom_filter": {"neardup_passages": {"text": "` + "\xff" + `"}}}`:                 `UTF-8`,
		`{"custom_filter": {"neardup_passages": {"text": "a", "max_share": 3}}}`:              `max_share: wanted 0 to 1, got 3`,
		`{"custom_filter": {"neardup_passages": null}}`:                                       `wanted a text or an id, got none or both`,
		`{"custom_filter": {"mine": {"id": "a"}}}`:                                            `such as "neardup", got ["mine"]`,
		`[]`: `near: query: `,
	} {
		if q, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v, want %s", text, q, err, want)
		}
	}
}

// What does not come from Search is no request.
func TestRequestErrors(t *testing.T) {
	t.Parallel()
	x := newQuotingIndex(t, with(t, 50))
	own := &near.PassagesQuery{Text: []string{"a"}}
	for want, q := range map[string]query.Query{
		"got a *query.MatchAllQuery":                      query.NewMatchAllQuery(),
		"got a *query.BooleanQuery":                       query.NewBooleanQuery([]query.Query{own}, []query.Query{own}, nil),
		"got a *query.DisjunctionQuery":                   query.NewDisjunctionQuery([]query.Query{own}),
		"got a <nil>":                                     nil,
		"got a *near.PassagesQuery":                       (*near.PassagesQuery)(nil),
		"wanted size and from of 0 or more, got -1 and 0": own,
	} {
		r := bleve.NewSearchRequest(q)
		if q == own {
			r.Size = -1
		}
		if _, err := answer(t, x, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := near.ReadPassages(t.Context(), x, near.PassagesQuery{Text: []string{"a"}}); err == nil || err.Error() != "near: query: wanted the id of a document, got none" {
		t.Errorf("got %v", err)
	}
	// An index that says nothing of the fields of Within is none whose values are equal.
	q := new(near.PassagesQuery)
	if err := json.Unmarshal([]byte(`{"custom_filter": {"neardup_passages": {"id": "a", "within": ["tag"], "given": {"values": ["a"]}}}}`), q); err != nil {
		t.Fatal(err)
	}
	if res, err := answer(t, x, bleve.NewSearchRequest(q)); err == nil {
		t.Errorf("got %+v", res)
	}
}
