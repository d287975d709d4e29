package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// An index with passages finds what a file quotes, and what quotes a document; one without says so.
func TestPassages(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%d ", rnd.IntN(1<<20))
		}
		return b.String()
	}
	quote := words(40)
	var lines strings.Builder
	for id, text := range map[string]string{"a": words(60) + quote + words(60), "b": quote, "c": words(160)} {
		line, err := json.Marshal(map[string]string{"id": id, "text": text})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	dir := t.TempDir()
	x, without := dir+"/x.bleve", dir+"/without.bleve"
	docs := write(t, dir, "docs.jsonl", lines.String())
	call(t, 0, "index", x, docs, "--signature", `{"passages": 30}`)
	call(t, 0, "index", without, docs)
	draft := write(t, dir, "draft.txt", words(20)+strings.ToUpper(quote)+words(20))
	r := new(near.PassagesResult)
	read(t, 0, r, "passages", x, "--file", draft)
	if len(r.Hits) != 2 || r.Hits[0].ID != "a" || r.Hits[1].ID != "b" || r.Hits[1].Words != 40 || r.Hits[1].OfHit.Value != 1 || r.Hits[0].Passages[0].Own.From != 60 || r.Hits[0].InHit.Value != .5 {
		t.Errorf("got %+v", r)
	}
	stdout, _ := call(t, 0, "passages", x, "b")
	for _, want := range []string{"1.00 ± 0.00   0.25 ± 0.00  40     a", "a, 40 words from word 61 on, here from word 1 on:\n    w", "\n1 documents share passages of 30 words or more\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got %s, want %q", stdout, want)
		}
	}
	if _, stderr := call(t, 1, "passages", without, "a"); !strings.Contains(stderr, `wanted an analyzer with the option "passages", got one without`) {
		t.Errorf("got %s", stderr)
	}
	if _, stderr := call(t, 1, "passages", x, "nosuch"); !strings.Contains(stderr, `wanted the id of a document, got "nosuch"`) {
		t.Errorf("got %s", stderr)
	}
	if _, stderr := call(t, 2, "passages", x); !strings.Contains(stderr, "needs exactly one of an id and --file, got 0") {
		t.Errorf("got %s", stderr)
	}
	if _, stderr := call(t, 1, "passages", x, "a", "--least", "29"); !strings.Contains(stderr, "wanted the 30 words of the passages") {
		t.Errorf("got %s", stderr)
	}
}
