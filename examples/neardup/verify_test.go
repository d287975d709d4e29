package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// The flags of groups and similar that say which documents match, beside the rule.
func TestPairFlags(t *testing.T) {
	t.Parallel()
	const text = "one night the quick brown fox jumps over the lazy dog while the cat looks on from the wall of the old garden behind the house"
	var lines strings.Builder
	for id, doc := range map[string]map[string]any{
		"a": {"text": text, "tenant": "x"},
		"b": {"text": strings.Replace(text, "behind the", "behind a", 1), "tenant": "x"}, // resemblance .84
		"c": {"text": text + " today", "tenant": "y"},                                    // .96
		"d": {"text": text + " and the fox laughs at all of them until it is late"},      // .67, contains a
	} {
		doc["id"] = id
		line, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	dir := t.TempDir()
	x := dir + "/x.bleve"
	call(t, 0, "index", x, write(t, dir, "docs.jsonl", lines.String()))
	for want, args := range map[string][]string{
		"a":       {"--lanes", "100", "--within", "tenant"},
		"a b":     {"--verify", ".8", "--within", "tenant"},
		"a b c":   {"--verify", ".8"},
		"a b c d": {"--verify", ".6", "--min-words", "2"},
		"a c":     {"--contained", "--lanes", "80"},
	} {
		r := new(near.SimilarResult)
		read(t, 0, r, append([]string{"similar", x, "a"}, args...)...)
		got := []string{"a"}
		for _, hit := range r.Hits {
			got = append(got, hit.ID)
			if want := args[0] != "--lanes"; hit.Verified != want || want && hit.Resemblance.StdErr != 0 {
				t.Errorf("%q: %s: verified is %v", args, hit.ID, hit.Verified)
			}
		}
		if want = strings.TrimSpace(want); len(got) != len(strings.Fields(want)) || !contain(got, strings.Fields(want)) {
			t.Errorf("similar %q: got %q, want %q", args, got, want)
		}
	}
	var g near.Group
	read(t, 0, &g, "groups", x, "--verify", ".8", "--within", "tenant")
	if ids := []string{g.Head.ID, g.Members[0].ID}; !contain(ids, []string{"a", "b"}) || len(g.Members) != 1 || !g.Members[0].Verified {
		t.Errorf("groups: got %+v", g)
	}
	if stdout, _ := call(t, 0, "groups", x, "--verify", ".8", "--within", "tenant"); !strings.Contains(stdout, ", texts ") {
		t.Errorf("groups: got %q", stdout)
	}
	if stdout, _ := call(t, 0, "similar", x, "a", "--verify", ".8"); !strings.Contains(stdout, "0.84 ± 0.00") || !strings.Contains(stdout, ", texts ") {
		t.Errorf("similar: got %q", stdout)
	}
	if stdout, _ := call(t, 0, "search", x, "fox", "--verify", ".8"); !strings.Contains(stdout, ", texts ") || !strings.Contains(stdout, "groups: 2; near-copies hidden up to this page: 2") {
		t.Errorf("search: got %q", stdout)
	}
	if _, stderr := call(t, 2, "similar", x, "a", "--verify", "8"); !strings.Contains(stderr, "verify: resemblance: wanted 0.3 to 1, or 0, got 8") {
		t.Errorf("similar: got %q", stderr)
	}
}

func contain(all, some []string) bool {
	for _, s := range some {
		if !strings.Contains(strings.Join(all, " "), s) {
			return false
		}
	}
	return true
}
