package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/examples/internal/pages"
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
		if a.made.Docs != 3 || a.plain.Total != 3 || len(a.collapsed.Groups) != 2 || a.collapsed.Hidden != 1 {
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

// TestMembers reads lines whose members have other names, and remembers them.
func TestMembers(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "own.jsonl"), `{"_id": "a", "head": "A fox", "body": "`+fox+`"}
{"_id": "b", "head": "Another animal", "body": "A fox is an animal of the dog family."}`)
	args := []string{"--data", path, "--index", filepath.Join(dir, "index"), "--text", "head,body", "--id", "_id", "another dog"}
	for range 2 {
		if a := answers(t, args...)[0]; a.made.Docs != 2 || a.plain.Total != 2 || a.plain.Hits[0].ID != "b" {
			t.Errorf("got %+v of %+v", a, a.made)
		}
	}
	if _, stderr := call(t, 1, args[:4]...); !strings.Contains(stderr, "text head, body") {
		t.Errorf("an index of other members: %s", stderr)
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
	if a.made.Docs != 3 || len(a.collapsed.Groups) != 2 || a.collapsed.Hidden != 1 {
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

func TestWrongData(t *testing.T) {
	for _, test := range []struct{ name, lines, want string }{
		{"syntax", `{"id": "a", "text": "x"}` + "\n\n{oops", `:3: wanted a JSON object, got "{oops"`},
		{"array", `["a"]`, `:1: wanted a JSON object, got "[\"a\"]"`},
		{"no id", `{"text": "x"}`, ":1: id: wanted a string, got none"},
		{"number", `{"id": 1e3, "text": "x"}`, ":1: id: wanted a string or an integer, got 1e3"},
		{"no text", `{"id": "a"}`, ":1: text: wanted a string, got none"},
		{"version", `{"id": "a", "text": "x", "version": "1.2"}`, `: id "a": version: wanted a float64, got "1.2"`},
		{"twice", `{"id": "a", "text": "x"}` + "\n" + `{"id": "a", "text": "y"}`, `: id: wanted a new one, got "a" as in `},
		{"empty", "", ": wanted lines of JSON, got none"},
		{"gzip", "\x1f\x8bnot gzip at all", "gzip: invalid header"},
	} {
		dir := t.TempDir()
		path := write(t, filepath.Join(dir, "own.jsonl"), test.lines)
		index := filepath.Join(dir, "index")
		stdout, stderr := call(t, 1, "--data", path, "--index", index, "x")
		if stdout != "" || !strings.HasPrefix(stderr, "docsearch: "+path) || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: stdout %q, stderr %q, want %q", test.name, stdout, stderr, test.want)
		}
		if _, err := os.Stat(index); err == nil {
			t.Errorf("%s: half an index is left", test.name)
		}
	}
	call(t, 1, "--data", filepath.Join(t.TempDir(), "nosuch"), "x")
	if _, stderr := call(t, 1, "--data", t.TempDir(), "x"); !strings.Contains(stderr, "wanted files named .txt, .md, .rst, .html, .htm, got none") {
		t.Errorf("empty directory: %s", stderr)
	}
}

// TestIndexDir checks that an index is used again, but only for what it holds.
func TestIndexDir(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "index")
	data := write(t, filepath.Join(dir, "own.jsonl"), `{"id": "a", "text": "`+fox+`"}`)
	if err := os.Mkdir(index, 0o755); err != nil { // an empty one is as good as none
		t.Fatal(err)
	}
	if a := answers(t, "--data", data, "--index", index, "fox")[0]; a.made.Reused {
		t.Error("the first run used an index again")
	}
	for _, args := range [][]string{{"fox"}, {"--data", data, "fox"}} {
		if a := answers(t, append(args, "--index", index)...)[0]; !a.made.Reused || a.plain.Total != 1 || a.made.Docs != 1 || a.made.TextBytes != uint64(len(fox)) {
			t.Errorf("%q: got %+v of %+v", args, a, a.made)
		}
	}
	if stdout, _ := call(t, 0, "--index", index, "fox"); !strings.HasPrefix(stdout, "Opened the index of "+data) {
		t.Errorf("got %s", stdout)
	}
	if _, stderr := call(t, 1, "--data", dir, "--index", index, "fox"); !strings.Contains(stderr, "wanted an index of "+dir+", got one of "+data) {
		t.Errorf("other data: %s", stderr)
	}
	if _, stderr := call(t, 1, "--index", dir, "fox"); !strings.Contains(stderr, "wanted an index, or an empty or new directory") {
		t.Errorf("a directory of other things: %s", stderr)
	}
	if _, err := os.Stat(data); err != nil {
		t.Errorf("the data is gone: %v", err)
	}
}

// TestForeignIndex checks that an index which docsearch did not finish is refused.
func TestForeignIndex(t *testing.T) {
	m, err := pages.Mapping(0)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, make := range map[string]func(path string) (bleve.Index, error){
		"delete it":                         func(path string) (bleve.Index, error) { return plugin.New(path, m) },
		`wanted an index of type "neardup"`: func(path string) (bleve.Index, error) { return bleve.New(path, bleve.NewIndexMapping()) },
	} {
		path := filepath.Join(dir, name)
		index, err := make(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := index.Close(); err != nil {
			t.Fatal(err)
		}
		if _, stderr := call(t, 1, "--index", path, "fox"); !strings.Contains(stderr, name) {
			t.Errorf("got %s, want %q in it", stderr, name)
		}
		if empty(path) {
			t.Errorf("%s: the index was deleted", name)
		}
	}
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
