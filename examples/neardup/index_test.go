package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const fox = "The quick brown fox jumps over the lazy dog while the cat looks on from the wall, and nobody minds."

// TestSources checks that pages, texts and JSON lines of one text are copies of each
// other, and that markup is not searched.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	x := filepath.Join(dir, "x.bleve")
	write(t, dir, "docs/fox.txt", fox)
	write(t, dir, "docs/deep/Fox.HTML", `<html><body class="zebra"><p>`+strings.ReplaceAll(fox, " fox ", " <b>fox</b> "))
	write(t, dir, "docs/fox.go", fox)
	write(t, dir, "docs/.hidden/fox.txt", fox)
	lines := fmt.Sprintf("{\"id\": \"line\", \"text\": %q, \"year\": 1997}\n", strings.ToUpper(fox))

	var w written
	read(t, 0, &w, "index", x, filepath.Join(dir, "docs"))
	if !w.New || w.Documents != 2 || w.Total != 2 {
		t.Errorf("got %+v, want 2 documents in a new index", w)
	}
	if _, stderr := callIn(t, 0, lines, "index", x); stderr != "indexed 1 documents; "+x+" has 3\n" {
		t.Errorf("standard input: %q", stderr)
	}
	var r struct {
		Groups []collapse.Group `json:"groups"`
	}
	read(t, 0, &r, "search", x, "fox", "year:>1990", "zebra")
	if len(r.Groups) != 1 || len(r.Groups[0].Members) != 2 {
		t.Errorf("fox: got %+v, want one group of three", r)
	}
	read(t, 0, &r, "search", x, "zebra")
	if len(r.Groups) != 0 {
		t.Errorf("an attribute was found: %+v", r)
	}
	if stdout, _ := callIn(t, 0, fox, "similar", x, "--file", "-"); !strings.Contains(stdout, "deep/Fox.HTML") || !strings.HasSuffix(stdout, "3 near-duplicates\n") {
		t.Errorf("similar to standard input: %s", stdout)
	}
}

// TestInterrupted checks that what was written before an interrupt stays, and that the
// same command goes on.
func TestInterrupted(t *testing.T) {
	x := filepath.Join(t.TempDir(), "x.bleve")
	var lines strings.Builder
	const all, first = 3000, 1000
	for i := range all {
		fmt.Fprintf(&lines, "{\"id\": \"%d\", \"text\": \"note %d of %s\"}\n", i, i, fox)
	}
	half := strings.Index(lines.String(), fmt.Sprintf("{\"id\": \"%d\"", first))
	ctx, cancel := context.WithCancel(context.Background())
	in := io.MultiReader(strings.NewReader(lines.String()[:half]), hook(cancel), strings.NewReader(lines.String()[half:]))
	var stderr bytes.Buffer
	if code := run(ctx, []string{"index", "--batch", "100", x}, in, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), ": interrupted (") || strings.Contains(stderr.String(), "canceled") {
		t.Fatalf("exit code %d, stderr %q", code, stderr.String())
	}
	var r audit
	read(t, 0, &r, "check", x)
	if r.Signed == 0 || r.Signed >= all || r.Signed%100 != 0 || !strings.Contains(stderr.String(), fmt.Sprintf("(%d documents are written)", r.Signed)) {
		t.Errorf("%d documents are there, %q", r.Signed, stderr.String())
	}
	callIn(t, 0, lines.String(), "index", x)
	if read(t, 0, &r, "check", x); r.Signed != all {
		t.Errorf("%d documents after the second run, want %d", r.Signed, all)
	}
	call(t, 0, "check", x)
}

// hook is read once, and gives nothing.
type hook func()

// Read implements io.Reader.
func (h hook) Read([]byte) (int, error) {
	h()
	return 0, io.EOF
}

func TestParameters(t *testing.T) {
	dir := t.TempDir()
	x, file := filepath.Join(dir, "x.bleve"), write(t, dir, "fox.txt", fox)
	call(t, 0, "index", x, "--signature", `{"width": 5, "lanes": 64, "fingerprint": "rabin64", "seed": "7", "bag": true}`, file)
	var r audit
	read(t, 0, &r, "check", x)
	want := signature.DefaultParams()
	want.Width, want.Lanes, want.Fingerprint, want.Seed, want.Bag = 5, 64, signature.Rabin64, 7, true
	if r.Params != want {
		t.Errorf("parameters: got %+v, want %+v", r.Params, want)
	}
	call(t, 0, "index", x, file)
	if _, stderr := call(t, 1, "index", x, "--signature", `{"width": 4}`, file); !strings.Contains(stderr, "wanted an index of signatures with {Width:4") {
		t.Errorf("other parameters: %s", stderr)
	}
	// Backfill keeps what no flag names.
	y := filepath.Join(dir, "y.bleve")
	call(t, 0, "backfill", x, y, "--signature", `{"width": 3}`)
	read(t, 0, &r, "check", y)
	if want.Width = 3; r.Params != want || r.Signed != 1 {
		t.Errorf("after backfill: got %+v, want %+v", r, want)
	}
	call(t, 0, "check", y)
}

// TestBackfill gives a plain index signatures.
func TestBackfill(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "plain.bleve"), filepath.Join(dir, "signed.bleve")
	x, err := bleve.New(from, bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range map[string]string{"a": fox, "b": strings.ToUpper(fox), "c": "Another text."} {
		if err := x.Index(id, map[string]any{"title": id, "body": text}); err != nil {
			t.Fatal(err)
		}
	}
	x.Close()
	for _, command := range []string{"check", "groups"} {
		if _, stderr := call(t, 1, command, from); !strings.Contains(stderr, `wanted an index of type "neardup", got one without signatures`) {
			t.Errorf("%s of a plain index: %s", command, stderr)
		}
	}
	if _, stderr := call(t, 2, "backfill", from, to); !strings.Contains(stderr, "--text: wanted the properties to compare") {
		t.Errorf("without --text: %s", stderr)
	}
	if _, stderr := call(t, 2, "backfill", from, to, "--text", "body,nope"); !strings.Contains(stderr, `--text: wanted fields of the index, some of ["_all" "body" "title"], got "nope"`) {
		t.Errorf("with another --text: %s", stderr)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("with another --text: wanted no index")
	}
	for _, documents := range []uint64{3, 3} { // the second run finds all done
		var w written
		read(t, 0, &w, "backfill", from, to, "--text", "body")
		if w.Documents != documents || w.Total != 3 {
			t.Errorf("got %+v, want %d documents", w, documents)
		}
	}
	call(t, 0, "check", to)
	var r near.SimilarResult
	read(t, 0, &r, "similar", to, "a")
	if r.Total != 1 || r.Hits[0].ID != "b" {
		t.Errorf("similar to a: %+v, want b", r)
	}
}

// TestSignedNothing: a command that writes documents and signs none of them says so, and ends with exit code 1.
func TestSignedNothing(t *testing.T) {
	dir := t.TempDir()
	lines := "{\"id\": \"a\", \"body\": \"one text\", \"text\": \"\"}\n{\"id\": \"b\", \"text\": \"\"}"
	x, y := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	for range 2 {
		if _, stderr := callIn(t, 1, lines, "index", x); !strings.Contains(stderr, "indexed 2 documents") || !strings.Contains(stderr, "no document was signed") {
			t.Errorf("index: %s", stderr)
		}
	}
	stdout, stderr := callIn(t, 1, lines, "index", "--json", x)
	var w written
	if err := json.Unmarshal([]byte(stdout), &w); err != nil || w.Total != 2 || !strings.Contains(stderr, "no document was signed") {
		t.Errorf("index: got %s%s, %v", stdout, stderr, err)
	}
	if _, stderr := call(t, 1, "backfill", "--signature", `{"width": 3}`, x, y); !strings.Contains(stderr, "no document was signed") {
		t.Errorf("backfill: %s", stderr)
	}
	callIn(t, 0, "{\"id\": \"c\", \"text\": \"another text\"}", "index", x)
}

// TestCheck forges signatures below the index type, as damage to the disk would.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.bleve")
	file := write(t, dir, "own.jsonl", fmt.Sprintf("{\"id\": \"right\", \"text\": %q}\n{\"id\": \"other\", \"title\": \"x\", \"text\": \"\"}", fox))
	call(t, 0, "index", path, file)
	x, err := plugin.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	text := func(s *signature.Signature) string {
		data, err := s.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	good, other := signature.Of(signature.DefaultParams(), []byte(fox)), signature.Of(signature.DefaultParams(), []byte(fox+" Or so."))
	p := signature.DefaultParams()
	p.Seed = 1
	seeded, b := signature.Of(p, []byte(fox)), index.NewBatch()
	for id, fields := range map[string]map[string]string{
		"missing":  {"text": fox},
		"damaged":  {"text": fox, signature.Field(plugin.Field).Sketch(): text(&good)[:100]},
		"differs":  {"text": fox, signature.Field(plugin.Field).Sketch(): text(&other)},
		"foreign":  {"text": fox, signature.Field(plugin.Field).Sketch(): text(&seeded)},
		"simhash":  {"text": fox, signature.Field(plugin.Field).Sketch(): text(&good), signature.Field(plugin.Field).Simhash(): "0"},
		"textless": {signature.Field(plugin.Field).Sketch(): text(&good)},
	} {
		d := document.NewDocument(id)
		for name, value := range fields {
			d.AddField(document.NewTextFieldCustom(name, nil, []byte(value), index.StoreField, nil))
		}
		b.Update(d)
	}
	if err := inner.(*indextype.Index).Engine.Batch(b); err != nil {
		t.Fatal(err)
	}
	x.Close()

	var r audit
	read(t, 1, &r, "check", path)
	if r.Documents != 8 || r.Right != 2 || r.Textless != 1 || len(r.Findings) != 5 {
		t.Errorf("got %+v", r)
	}
	for _, f := range r.Findings {
		if f.Kind != string(f.ID) {
			t.Errorf("%s: found %s: %s", f.ID, f.Kind, f.Reason)
		}
	}
	stdout, _ := call(t, 1, "check", path)
	for _, want := range []string{
		"missing: missing: wanted a signature of text, got none\n", "damaged: damaged: ", "foreign: foreign: parameters: wanted ",
		"differs: differs: wanted 20 tokens, 17 shingles, exact hash ", "right        2 ", "wrong        5", "textless     1 ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}
