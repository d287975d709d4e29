package documents

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/plugin"
)

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

func TestRead(t *testing.T) {
	dir := t.TempDir()
	lines := "\n{\"id\": \"b\", \"body\": \"<p>x\", \"title\": \"A & B\", \"n\": 1}\n\n{\"id\": \"a\", \"title\": \"y\"}"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(lines))
	z.Close()
	for name, path := range map[string]string{
		"plain":  write(t, filepath.Join(dir, "a.jsonl"), lines),
		"zipped": write(t, filepath.Join(dir, "b.jsonl.gz"), zipped.String()),
		"marked": write(t, filepath.Join(dir, "c.jsonl"), "\ufeff"+lines),
		"stdin":  "-",
	} {
		n := 0
		s := Source{ID: "id", Text: []string{"title", "body"}, HTML: All, Stdin: strings.NewReader(lines), Progress: func(read int) { n += read }}
		var got []Document
		for d, err := range s.Read(path) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, d)
		}
		if len(got) != 2 || got[0].ID != "b" || !slices.Equal(got[0].Values, []string{"A & B", "x"}) || got[0].Fields["n"] != 1. || got[0].Fields["id"] != nil || len(got[1].Values) != 1 {
			t.Errorf("%s: got %+v", name, got)
		}
		want := Size(path)
		if path == "-" {
			want = int64(len(lines))
		}
		if int64(n) != want {
			t.Errorf("%s: told of %d bytes, want %d", name, n, want)
		}
	}
	// Reading stops when the caller does.
	s := Source{ID: "id", Text: []string{"title"}, HTML: None}
	write(t, filepath.Join(dir, "docs/1.txt"), "one")
	write(t, filepath.Join(dir, "docs/2.txt"), "two")
	n := 0
	for _, err := range s.Read(filepath.Join(dir, "docs"), filepath.Join(dir, "nosuch")) {
		if n++; err != nil || n == 1 {
			break
		}
	}
	if n != 1 {
		t.Errorf("%d documents after a break, want 1", n)
	}
}

// Standard input is that of the process if the caller gives none.
func TestStdin(t *testing.T) {
	in, err := os.Open(write(t, filepath.Join(t.TempDir(), "in"), `{"id": "a", "text": "x"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func(before *os.File) { os.Stdin = before; in.Close() }(os.Stdin)
	os.Stdin = in
	n := 0
	for d, err := range (Source{ID: "id", Text: []string{"text"}, HTML: None}).Read("-") {
		if n++; d.ID != "a" || err != nil {
			t.Errorf("got %+v, %v", d, err)
		}
	}
	if n != 1 {
		t.Errorf("got %d documents, want 1", n)
	}
}

// TestWrong says what is wrong with lines, and where.
func TestWrong(t *testing.T) {
	s := Source{ID: "id", Text: []string{"text"}, HTML: None}
	for lines, want := range map[string]string{
		`{"id": "a", "text": "x"}` + "\n\n{oops": `:3: wanted a JSON object, got "{oops"`,
		`["a"]`:                                  `:1: wanted a JSON object, got "[\"a\"]"`,
		`{"text": "x"}`:                          ":1: id: wanted a string, got none",
		`{"id": 1e3, "text": "x"}`:               ":1: id: wanted a string or an integer, got 1e3",
		`{"id": "a"}`:                            ":1: text: wanted a string, got none",
		`{"id": "a", "text": {}}`:                ":1: text: wanted a string, got an object",
		`{"id": "a", "body": "x", "n": 1, "title": "y"}`:               `:1: text: wanted a string, got none; strings are "body", "title": choose with --text`,
		`{"key": "a", "text": "x"}`:                                    `:1: id: wanted a string, got none; strings are "key", "text": choose with --id`,
		`{"id": "a", "text": "x"}` + "\n" + `{"id": "a", "text": "y"}`: `: id: wanted a new one, got "a" as in `,
		"":                        ": wanted lines of JSON, got none",
		"\x1f\x8bnot gzip at all": "gzip: invalid header",
	} {
		path := write(t, filepath.Join(t.TempDir(), "own.jsonl"), lines)
		var err error
		for _, err = range s.Read(path) {
		}
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", lines, err, want)
		}
	}
	for _, err := range s.Read(t.TempDir()) {
		if err == nil || !strings.Contains(err.Error(), "wanted files named .txt, .md, .rst, .html, .htm, got none") {
			t.Errorf("an empty directory: got %v", err)
		}
	}
}

// TestCSV reads the records of a file, with or without the mark of spreadsheets, as objects of strings.
func TestCSV(t *testing.T) {
	read := func(name, text string) (got []Document, err error) {
		s := Source{ID: "id", Text: []string{"body"}, HTML: None}
		for d, err := range s.Read(write(t, filepath.Join(t.TempDir(), name), text)) {
			if err != nil {
				return got, err
			}
			got = append(got, d)
		}
		return got, nil
	}
	for _, mark := range []string{"", "\ufeff"} {
		got, err := read("a.csv", mark+"id,body,n\r\n7,\"two\nlines, \"\"quoted\"\"\",1\r\nb,x,\r\n")
		if err != nil || len(got) != 2 || got[0].ID != "7" || got[0].Values[0] != "two\nlines, \"quoted\"" || got[0].Fields["n"] != "1" || got[1].Fields["n"] != "" {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	for text, want := range map[string]string{
		"":                             "wanted CSV with a header, got an empty file",
		"id;body\n1;x\n":               `a.csv: line 2: id: wanted a string, got none; strings are "id;body"`,
		"id,body\n1\n":                 "a.csv: record on line 2: wrong number of fields",
		"id,body\n1,\xff\n":            "wanted UTF-8",
		"id,body,id\n1,x,2\n":          "columns with different names",
		"id,body\n1,x\n1,y\n":          "wanted a new one",
		"id,text\n1,x\n":               `choose with --text`,
		"id,body\n1,x\n2,\"unclosed\n": `"`,
	} {
		if _, err := read("a.csv", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: wanted %s, got %v", text, want, err)
		}
	}
	if _, err := read("a.bin", "text\x00"); err == nil || !strings.Contains(err.Error(), "got a binary one: byte 4 is 0") {
		t.Errorf("got %v", err)
	}
}

// TestOf checks that deleted documents are gone, and that signatures are explained by
// the properties that they were made from, of whatever type a document is.
func TestOf(t *testing.T) {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "title", "body")
	page := bleve.NewDocumentMapping()
	meta := bleve.NewDocumentMapping()
	plugin.AddSignature(meta, "text")
	meta.Properties["text"].Fields[0].Name = "words"
	page.AddSubDocumentMapping("meta", meta)
	m.AddDocumentMapping("page", page)
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	const text = "one two three four five six seven eight nine ten eleven twelve thirteen"
	for id, d := range map[string]map[string]any{
		"a": {"title": "A", "body": []string{text, "and more"}, "other": "not signed"},
		"b": {"body": text},
		"c": {"other": text},
		"d": {"_type": "page", "meta": map[string]any{"text": text}},
	} {
		if err := x.Index(id, d); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Delete("b"); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]Stored)
	var ids []string
	for d, err := range Of(context.Background(), x, plugin.Field) {
		if err != nil {
			t.Fatal(err)
		}
		got[d.ID] = d
		ids = append(ids, d.ID)
	}
	if !slices.Equal(ids, []string{"a", "c", "d"}) {
		t.Fatalf("got %q, want a, c, d", ids)
	}
	if got["c"].Signature != nil || got["c"].Damage != nil {
		t.Errorf("c has a signature: %+v", got["c"])
	}
	all, err := Origins(x.Mapping(), plugin.Field)
	if err != nil || len(all) != 1 || !slices.Equal(all[0].Fields, []string{"body", "title"}) {
		t.Fatalf("origins %+v, %v", all, err)
	}
	sign := func(o Origin, d Stored) signature.Signature {
		s, _ := o.Analyzer.Sign(o.Values(d)...)
		return s
	}
	if s := sign(all[0], got["a"]); got["a"].Signature == nil || s.Exact != got["a"].Signature.Exact || got["a"].Simhash != simhash.Text(s.Simhash) {
		t.Errorf("a: wanted the signature of %q, got %+v", all[0].Fields, got["a"])
	}
	const inner = "meta." + plugin.Field
	if all, err = Origins(x.Mapping(), inner); err != nil || len(all) != 1 || !slices.Equal(all[0].Fields, []string{"meta.words"}) {
		t.Fatalf("origins of %s: %+v, %v", inner, all, err)
	}
	for d, err := range Of(context.Background(), x, inner) {
		if err != nil {
			t.Fatal(err)
		}
		if (d.Signature != nil) != (d.ID == "d") {
			t.Errorf("%s: signature %v in %s", d.ID, d.Signature, inner)
		} else if s := sign(all[0], d); d.ID == "d" && s.Exact != d.Signature.Exact {
			t.Errorf("d: wanted the signature of %q, got another", all[0].Fields)
		}
	}
	if _, err := Origins(x.Mapping(), "nosuch"); err == nil || !strings.Contains(err.Error(), `got "nosuch"`) {
		t.Errorf("another field: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range Of(ctx, x, plugin.Field) {
		if err != context.Canceled {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// TestUnstored has nothing to check signatures by.
func TestUnstored(t *testing.T) {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	m.DefaultMapping.Properties["body"].Fields[0].Store = false
	if _, err := Origins(m, plugin.Field); err == nil || !strings.Contains(err.Error(), "wanted a property with a stored text field") {
		t.Errorf("got %v", err)
	}
	var other mapping.IndexMapping
	if _, err := Origins(other, plugin.Field); err == nil {
		t.Error("no error without a mapping")
	}
}
