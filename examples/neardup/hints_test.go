package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
)

// TestHints asks for what is not there, and for what is no query.
func TestHints(t *testing.T) {
	t.Parallel()
	x := filepath.Join(t.TempDir(), "x.bleve")
	callIn(t, 0, `{"id":"a","title":"Foxes","text":"the quick brown fox jumps over the lazy dog"}
{"id":"b","title":"Foxes again","text":"a quick brown fox, and another fox"}`, "index", x)
	for query, want := range map[string]string{
		"text:zebra":          "matches: 0; groups: 0; near-copies hidden up to this page: 0\n",
		"body:fox":            `no document has the field "body"; the fields are `,
		"+text:fox -text:fox": "matches: 0; groups: 0; near-copies hidden up to this page: 0\n",
	} {
		stdout, _ := call(t, 0, "search", x, "--", query)
		if !strings.Contains(stdout, want) {
			t.Errorf("%s: got %q, want %q", query, stdout, want)
		}
		if strings.Contains(want, "neardup,") || strings.Contains(stdout, "~neardup") {
			t.Errorf("%s: %q names fields of the signature", query, stdout)
		}
	}
	if stdout, _ := call(t, 0, "search", x, "text:fox"); strings.Contains(stdout, "no document") {
		t.Errorf("a hint where something was found: %s", stdout)
	}
	if stdout, _ := call(t, 0, "search", "--json", x, "body:fox"); strings.Contains(stdout, "no document") {
		t.Errorf("a hint in JSON: %s", stdout)
	}
	for option, want := range map[string]string{
		"--sort=-version": "sort: no document has the field version\n",
		"--by=host":       "2 hits have no value of host\n",
		"--within=host":   "2 hits have no value of host\n",
	} {
		if stdout, _ := call(t, 0, "search", option, x, "text:fox"); !strings.Contains(stdout, want) {
			t.Errorf("%s: got %q, want %q", option, stdout, want)
		}
	}
	for query, want := range map[string]string{
		"text:(":     `query "text:(": wanted words, got "("`,
		"fox && dog": `query "fox && dog": wanted words, got "&&"`,
		"text:":      `query "text:": syntax error`,
		`"fox`:       `query "\"fox": parse error: unterminated quote`,
	} {
		if _, stderr := call(t, 2, "search", x, "--", query); !strings.Contains(stderr, want) {
			t.Errorf("%s: got %q, want %q", query, stderr, want)
		}
	}
}

// TestProperties: of an index without signatures, commands say what it has, and stats says what is signed.
func TestProperties(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := filepath.Join(dir, "old.bleve")
	x, err := bleve.New(old, bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Index("a", map[string]any{"title": "Foxes", "body": "the quick brown fox"}); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, stderr := call(t, 1, "check", old); !strings.Contains(stderr, `["_all" "body" "title"]`) || !strings.Contains(stderr, "nothing folds") {
		t.Errorf("check: %s", stderr)
	}
	made := filepath.Join(dir, "new.bleve")
	if _, stderr := call(t, 2, "backfill", old, made); !strings.Contains(stderr, `got none: the fields of the index are ["_all" "body" "title"]`) {
		t.Errorf("backfill: %s", stderr)
	}
	call(t, 0, "backfill", "--preset", "short", "--text", "body", old, made)
	var r audit
	read(t, 0, &r, "check", made)
	if got := fmt.Sprint(r.From, r.Fields, r.Rule.Lanes); got != "[body] [_all body title] 92" {
		t.Errorf("check: got %s", got)
	}
}

// TestNumbers: an id that is an integer is its digits, however many they are.
func TestNumbers(t *testing.T) {
	t.Parallel()
	x := filepath.Join(t.TempDir(), "x.bleve")
	callIn(t, 0, `{"id":12345678901234567890,"text":"the quick brown fox"}
{"id":-7,"text":"another text"}`, "index", x)
	for id, query := range map[string]string{"12345678901234567890": "fox", "-7": "another"} {
		if stdout, _ := call(t, 0, "search", x, "text:"+query); !strings.Contains(stdout, "  1  "+id+"  ") {
			t.Errorf("%s: %s", query, stdout)
		}
	}
}
