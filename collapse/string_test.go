package collapse_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
)

// fmt prints copies by their ids and what decided, and no pointers.
func TestString(t *testing.T) {
	t.Parallel()
	copies := []collapse.Member{
		{Ref: collapse.Ref{ID: "mirror"}, Match: signature.Match{By: signature.BySketch | signature.BySimhash, Agree: 98, Hamming: 2}, Overlap: new(collapse.Overlap), Explanation: new(explain.Explanation)},
		{Ref: collapse.Ref{Index: "old", ID: "/page"}, Key: true},
	}
	const want = `[mirror (98 lanes, Hamming 2, by "sketch+simhash") /page (same key)]`
	if got := fmt.Sprint(copies); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(collapse.Group{Head: collapse.Ref{ID: "a"}, Members: copies}), "{{ a} "+want+" <nil> map[]}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i, want := range []string{`"agree":98,"hamming":2,"by":"sketch+simhash"`, `{"index":"old","id":"/page","score":0,"key":true}`} {
		data, err := json.Marshal(copies[i])
		var again collapse.Member
		if err != nil || !strings.Contains(string(data), want) || json.Unmarshal(data, &again) != nil || again.Match != copies[i].Match {
			t.Errorf("got %s, %v, %+v, want %s", data, err, again.Match, want)
		}
	}
}
