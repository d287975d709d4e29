package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/plugin"
)

// TestLeave takes signatures away, and compares with what bleve had made.
func TestLeave(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "signed.bleve"), filepath.Join(dir, "plain.bleve")
	lines := write(t, dir, "own.jsonl", fmt.Sprintf("{\"id\": \"a\", \"title\": \"Alpha\", \"text\": %q}\n{\"id\": \"b\", \"text\": %q}\n", fox, strings.ToUpper(fox)))
	call(t, 0, "index", from, lines)
	if _, stderr := call(t, 1, "leave", to, from); !strings.Contains(stderr, "wanted an index, got no such directory") {
		t.Errorf("from nothing: %s", stderr)
	}
	for range 2 {
		var w written
		read(t, 0, &w, "leave", from, to)
		if w.Documents != 2 || w.Total != 2 {
			t.Errorf("got %+v, want 2 documents", w)
		}
	}
	if _, stderr := call(t, 1, "leave", to, from); !strings.Contains(stderr, `wanted an index of type "neardup", got one without signatures`) {
		t.Errorf("of a plain index: %s", stderr)
	}
	x, err := bleve.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := inner.(*scorch.Scorch); !ok {
		t.Errorf("got a %T", inner)
	}
	fields, err := x.Fields()
	if err != nil || len(fields) != 4 { // _all, _id, text, title
		t.Errorf("fields: got %q, %v", fields, err)
	}
	r, err := x.Search(bleve.NewSearchRequest(bleve.NewQueryStringQuery("text:brown title:alpha")))
	if err != nil || r.Total != 2 || r.Hits[0].ID != "a" {
		t.Errorf("got %v, %v", r, err)
	}
}

// TestPurge looks for a deleted document in the files.
func TestPurge(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.bleve")
	const secret = "d41d8cd98f00b204e9800998ecf8427e"
	lines := write(t, dir, "own.jsonl", fmt.Sprintf("{\"id\": \"a\", \"text\": %q}\n{\"id\": %q, \"text\": \"short\"}\n", fox, secret))
	call(t, 0, "index", path, lines)
	x, err := plugin.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(x.Delete(secret), x.Close()); err != nil {
		t.Fatal(err)
	}
	has := func() (has bool) {
		files, err := filepath.Glob(filepath.Join(path, "store", "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			has = has || bytes.Contains(data, []byte(secret))
		}
		return has
	}
	if !has() {
		t.Fatal("the deleted id is in no file: the test shows nothing")
	}
	var p purged
	read(t, 0, &p, "purge", path)
	if has() || p.Documents != 1 {
		t.Errorf("the deleted id is in a file still, or not one document: %+v", p)
	}
	call(t, 0, "check", path)
}

// TestShown compares what search and similar print of hits with titles, texts and fields.
func TestShown(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.bleve")
	long := strings.Repeat("many words ", 30)
	lines := write(t, dir, "own.jsonl", fmt.Sprintf("{\"id\": \"a\", \"title\": \" A\\ntitle \", \"text\": %q, \"tags\": [\"x\", \"y\"], \"year\": 1997}\n{\"id\": \"b\", \"text\": \"b %s\"}\n{\"id\": \"c\", \"title\": \"C\", \"text\": %q}\n", fox, long, strings.ToUpper(fox)))
	call(t, 0, "index", path, lines)
	for _, test := range []struct {
		args, want string
	}{
		{"search x fox --sort _id", "  1  a  ~\n     A title\n       100 lanes,"},
		{"search x many", "  1  b  ~\n     b " + long[:78] + "…\nmatches: 1; groups: 1; "},
		{"search x fox --sort _id --fields tags,nosuch,year", "  1  a  ~\n     tags: x, y\n     year: 1997\n       100 lanes,"},
		{"search x many --fields *", "  1  b  ~\n     text: b " + long[:78] + "…\nmatches: 1; groups: 1; "},
		{"similar x c", "DOCUMENT  TEXT\n1.00 ± 0.00  100    0        exact+sketch+simhash  a         A title\n"},
		{"similar x c --fields year,tags", "DOCUMENT  FIELDS\n1.00 ± 0.00  100    0        exact+sketch+simhash  a         year: 1997; tags: x, y\n"},
	} {
		args := strings.Fields(test.args)
		args[1] = path
		stdout, _ := call(t, 0, args...)
		if got := varying.ReplaceAllString(stdout, "~"); !strings.Contains(got, test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.args, got, test.want)
		}
	}
	// JSON has the fields that were asked for, and no others.
	if stdout, _ := call(t, 0, "search", "--json", path, "many"); strings.Contains(stdout, "many words") {
		t.Errorf("JSON: %s", stdout)
	}
	if stdout, _ := call(t, 0, "check", "--json", path); !strings.Contains(stdout, `"params":{"width":4,"lanes":100,"simhash_width":4,`) {
		t.Errorf("check: %s", stdout)
	}
}

func TestInterruptedError(t *testing.T) {
	for want, err := range map[string]error{
		"interrupted":                                context.Canceled,
		"interrupted (7 documents are written)":      fmt.Errorf("%w (7 documents are written)", context.Canceled),
		`interrupted: backfill: documents up to "x"`: fmt.Errorf("backfill: documents up to %q: %w", "x", context.Canceled),
	} {
		if got := interrupted(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
