package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/couchbase/clog"
)

// One of two near-copies is written whichever nodes they come through, and the answers stay the same
// while a node is gone.
func TestDemo(t *testing.T) {
	clog.SetLevel(clog.LevelError)
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatalf("%v after\n%s", err, &out)
	}
	for text, want := range map[string]int{
		" is written\n":                    4,
		"is a near-copy, and is not":       3,
		": 3 hits; 4 of 4 partitions":      3,
		"    ferry\n":                      3,
		"    flood":                        3,
		"    dam":                          3,
		"    fair\n":                       0,
		"  node b: partitions ":            3,
		"flood-repost is a near-copy, and": 1,
	} {
		if got := strings.Count(out.String(), text); got != want {
			t.Errorf("%q: got %d times, want %d in\n%s", text, got, want, &out)
		}
	}
}
