package near_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// A query comes back from JSON as it was, in any bytes.
func TestQueryJSON(t *testing.T) {
	t.Parallel()
	boost := query.Boost(2)
	queries := []near.PassagesQuery{
		{Text: []string{"a", "\u00ff", "<&\u2028"}, MaxShare: .5, Least: 60, BoostVal: &boost, Field: "f"},
		{ID: "\u00ff", Self: true, Within: []string{"tag", "b"}},
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
	for _, q := range []near.PassagesQuery{{Text: []string{"\xff\xfe"}}, {ID: "\xff"}} {
		if data, err := json.Marshal(&q); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("got %s, %v", data, err)
		}
	}
	if got, err := parse([]byte(`{"custom_filter": {"neardup_passages": {"text": "one"}}}`)); err != nil || !reflect.DeepEqual(got, &near.PassagesQuery{Text: []string{"one"}}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := parse([]byte(`{"custom_filter": {"neardup_passages": {"text": null, "id": "a"}}}`)); err != nil || !reflect.DeepEqual(got, &near.PassagesQuery{ID: "a"}) {
		t.Errorf("no text: got %+v, %v", got, err)
	}
	for text, want := range map[string]string{
		`{"custom_filter": {"neardup_passages": {}}}`:                            `wanted a text or an id, got none`,
		`{"custom_filter": {"neardup_passages": {"id": "a", "texts": 1}}}`:       `got "texts"`,
		`{"custom_filter": {"neardup_passages": {"id": "a", "least": "1"}}}`:     `least: wanted a whole number, got a string`,
		`{"custom_filter": {"neardup_passages": {"text": 1}}}`:                   `text: wanted a string or a list of strings, got 1`,
		`{"custom_filter": {"neardup_passages": {"text": "` + "\xff" + `"}}}`:    `UTF-8`,
		`{"custom_filter": {"neardup_passages": {"text": "a", "max_share": 3}}}`: `max_share: wanted 0 to 1, got 3`,
		`{"custom_filter": {"neardup_passages": null}}`:                          `wanted a text or an id, got none`,
		`{"custom_filter": {"mine": {"id": "a"}}}`:                               `such as "neardup", got ["mine"]`,
		`[]`: `near: query: `,
	} {
		if q, err := parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v, want %s", text, q, err, want)
		}
	}
}
