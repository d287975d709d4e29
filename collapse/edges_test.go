package collapse_test

import (
	"encoding/json"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// One head of a key is what By means without Most, so saying so needs no Or.
func TestByMostOne(t *testing.T) {
	t.Parallel()
	x := offers(t)
	o := byShop()
	o.By.Most = 1
	want := offered(t, x, 100, 0, byShop())
	if res, err := collapse.Search(t.Context(), x, bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 100, 0, false), o); err != nil || len(res.Hits) != len(want.Hits) {
		t.Errorf("got %v, %v, want %d hits", res, err, len(want.Hits))
	}
}

// An InnerResult comes back from JSON, or is an error.
func TestInnerResultJSON(t *testing.T) {
	t.Parallel()
	var r collapse.InnerResult
	if err := json.Unmarshal([]byte(`{"hits":[{"id":"a"},{"id":{"base64":"/w=="}}]}`), &r); err != nil || len(r.Hits) != 2 || r.Hits[0].ID != "a" || r.Hits[1].ID != "\xff" {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, wrong := range []string{`{"hits":5}`, `{"hits":[{"id":5}]}`} {
		if err := json.Unmarshal([]byte(wrong), &r); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
}
