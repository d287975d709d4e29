package collapse_test

import (
	"encoding/json"
	"testing"

	"github.com/neardup/bleve-neardup/collapse"
)

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
