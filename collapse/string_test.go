package collapse_test

import (
	"fmt"
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
		{Ref: collapse.Ref{Index: "old", ID: "/page"}},
	}
	const want = `[mirror (98 lanes, Hamming 2, by "sketch+simhash") /page (0 lanes, Hamming 0, by "")]`
	if got := fmt.Sprint(copies); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(collapse.Group{Head: collapse.Ref{ID: "a"}, Members: copies}), "{{ a} "+want+" <nil> map[]}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
