package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
)

const fox = "The quick brown fox jumps over the lazy dog while the cat looks on from the wall, and nobody minds."

// write writes a file and returns its path.
func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOwnLines(t *testing.T) {
	lines := `{"id": "b", "text": "` + fox + `", "version": 1}

{"id": "a", "title": "Fox", "text": "` + strings.ToUpper(fox) + `", "other": [1]}
{"id": "c\u001b[31m", "text": "A fox is an animal of the dog family."}`
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(lines))
	z.Close()

	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, path := range []string{
		write(t, filepath.Join(dir, "own.jsonl"), lines),
		write(t, filepath.Join(dir, "own.jsonl.gz"), zipped.String()),
	} {
		a := answers(t, "--data", path, "fox dog")[0]
		if a.docs != 3 || a.plain.Total != 3 || len(a.collapsed.Groups) != 2 || a.collapsed.Hidden != 1 {
			t.Errorf("%s: got %+v, want 3 documents and hits in 2 groups", path, a)
		}
		stdout, stderr := call(t, 0, "--data", path, "fox")
		if strings.Contains(stdout, "\x1b") {
			t.Errorf("%s: a control character of the data in %q", path, stdout)
		}
		if stderr != "indexed 3 documents\n" {
			t.Errorf("%s: stderr %q", path, stderr)
		}
	}
	if !empty(tmp) {
		t.Error("the temporary index is still there")
	}
}

// TestMembers reads lines whose members have other names.
func TestMembers(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "own.jsonl"), `{"_id": "a", "head": "A fox", "body": "`+fox+`"}
{"_id": "b", "head": "Another animal", "body": "A fox is an animal of the dog family."}`)
	if a := answers(t, "--data", path, "--text", "head,body", "--id", "_id", "another dog")[0]; a.docs != 2 || a.plain.Total != 2 || a.plain.Hits[0].ID != "b" {
		t.Errorf("got %+v of %d documents", a, a.docs)
	}
	if _, stderr := call(t, 2, "--text", "", "x"); !strings.Contains(stderr, "--text: wanted names of JSON members") {
		t.Errorf("no member: %s", stderr)
	}
}

// TestDirectory checks which files are read, that tags are no text, and that a page
// is a copy of its HTML.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "fox.txt"), fox)
	write(t, filepath.Join(dir, "deep", "Fox.HTML"), "<html><body class=\"zebra\"><p>"+strings.ReplaceAll(fox, " ", "</b> <b>")+"</p></body></html>")
	write(t, filepath.Join(dir, "deep", "other.md"), "Another fox.")
	write(t, filepath.Join(dir, "fox.go"), fox)
	write(t, filepath.Join(dir, ".hidden", "fox.rst"), fox)

	all := answers(t, "--data", dir, "fox", "zebra", "html_text vector<fox>")
	a := all[0]
	if a.docs != 3 || len(a.collapsed.Groups) != 2 || a.collapsed.Hidden != 1 {
		t.Fatalf("got %+v, want 3 documents in 2 groups", a)
	}
	for _, g := range a.collapsed.Groups {
		if len(g.Members) == 1 && g.Head.ID != "deep/Fox.HTML" && g.Members[0].ID != "deep/Fox.HTML" {
			t.Errorf("%s hides %s, want the HTML page and its text", g.Head.ID, g.Members[0].ID)
		}
	}
	if all[1].plain.Total != 0 {
		t.Errorf("an attribute was found: %v", all[1].plain.Hits)
	}
	if all[2].plain.Total != 3 {
		t.Errorf("vector<fox>: %d hits, want 3: < and > of a query are no tag", all[2].plain.Total)
	}
}

// What is wrong with a file is told, with its name, and nothing is left; package documents has the cases.
func TestWrongData(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	dir := t.TempDir()
	for lines, want := range map[string]string{
		`{"id": "a", "text": "x"}` + "\n\n{oops":                       `:3: wanted a JSON object, got "{oops"`,
		`{"id": "a", "text": "x", "version": "1.2"}`:                   `: id "a": version: wanted a float64, got "1.2"`,
		`{"id": "a", "text": "x"}` + "\n" + `{"id": "a", "text": "y"}`: `: id: wanted a new one, got "a" as in `,
	} {
		path := write(t, filepath.Join(dir, "own.jsonl"), lines)
		stdout, stderr := call(t, 1, "--data", path, "x")
		if stdout != "" || !strings.HasPrefix(stderr, "docsearch: "+path) || !strings.Contains(stderr, want) || !empty(tmp) {
			t.Errorf("%s: stdout %q, stderr %q, want %q", lines, stdout, stderr, want)
		}
	}
	call(t, 1, "--data", filepath.Join(dir, "nosuch"), "x")
}

// An index that is there is searched, of whatever program, unless it has no signatures.
func TestIndex(t *testing.T) {
	signed, plain := filepath.Join(t.TempDir(), "x"), filepath.Join(t.TempDir(), "x")
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	x, err := plugin.New(signed, m)
	if err != nil {
		t.Fatal(err)
	}
	y, err := bleve.New(plain, bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range map[string]string{"a": fox, "b": strings.ToUpper(fox), "c": "A fox is an animal of the dog family."} {
		if err := errors.Join(x.Index(id, map[string]string{"title": "of " + id, "text": text}), y.Index(id, map[string]string{"text": text})); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(x.Close(), y.Close()); err != nil {
		t.Fatal(err)
	}
	stdout, _ := call(t, 0, "--index", signed, "fox")
	if a := answers(t, "--index", signed, "fox")[0]; a.plain.Total != 3 || len(a.collapsed.Groups) != 2 || !strings.HasPrefix(stdout, "3 documents of "+signed+".\n") {
		t.Errorf("got %+v and %s", a, stdout)
	}
	if _, stderr := call(t, 1, "--index", plain, "fox"); !strings.Contains(stderr, "got one without signatures") {
		t.Errorf("got %s", stderr)
	}
	call(t, 1, "--index", filepath.Join(signed, "nosuch"), "fox")
}

// empty reports whether dir is an empty directory.
func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

func TestInterrupt(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, nil, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "canceled") {
		t.Errorf("exit code %d, stderr %q, want 1 and canceled", code, stderr.String())
	}
	if !empty(tmp) {
		t.Error("the temporary index is still there")
	}
}
