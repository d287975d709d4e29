package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"go/parser"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/examples/internal/diff"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

var update = flag.Bool("update", false, "write the golden file anew")

// call calls run and fails the test unless it returns the wanted exit code.
func call(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(context.Background(), args, strings.NewReader(""), &out, &errs); got != want {
		t.Fatalf("calibrate %q: exit code %d, want %d; stderr: %s", args, got, want, errs.String())
	}
	return out.String(), errs.String()
}

// reported calls run with --json.
func reported(t *testing.T, args ...string) (r report) {
	t.Helper()
	stdout, stderr := call(t, 0, append([]string{"--json"}, args...)...)
	if stderr != "" {
		t.Errorf("stderr with --json: %q, want nothing", stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// manuals are the shorter ones of the shipped corpus, as a file and as documents.
func manuals(t *testing.T) (path string, docs []neartest.Doc) {
	t.Helper()
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, d := range neartest.Shipped(t) {
		if len(d.Text) > 6000 {
			continue
		}
		docs = append(docs, d)
		if err := enc.Encode(map[string]string{"id": d.ID, "text": d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	return write(t, filepath.Join(t.TempDir(), "manuals.jsonl"), lines.String()), docs
}

// TestShipped runs the default, and compares what it prints.
func TestShipped(t *testing.T) {
	if testing.Short() {
		t.Skip("signs all manuals")
	}
	t.Chdir("..")
	out := filepath.Join(t.TempDir(), "report.html")
	stdout, stderr := call(t, 0, "--out", out)
	if stderr != "read 1216 documents\n" {
		t.Errorf("stderr: %q", stderr)
	}
	stdout = strings.ReplaceAll(stdout, out, "report.html")
	golden := filepath.Join("calibrate", "testdata", "shipped.golden")
	if *update {
		write(t, golden, stdout)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if stdout != string(want) {
		t.Errorf("got\n%s\nwant\n%s\n(go test -update writes it anew)", stdout, want)
	}
	html, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!DOCTYPE html>", `lang="en"`, "prefers-color-scheme: dark", "What lanes do", "With Verify", "<caption>", "<del>", `aria-current="true">782<`} {
		if !bytes.Contains(html, []byte(want)) {
			t.Errorf("no %q on the page", want)
		}
	}
	for _, bad := range []string{"<script", "src=", "href=", "ZgotmplZ", "%!"} {
		if bytes.Contains(html, []byte(bad)) {
			t.Errorf("%q on the page", bad)
		}
	}
	for _, tag := range []string{"table", "details", "div", "td", "tr", "h3", "p", "small", "main"} {
		if opened, closed := bytes.Count(html, []byte("<"+tag+">"))+bytes.Count(html, []byte("<"+tag+" ")), bytes.Count(html, []byte("</"+tag+">")); opened != closed {
			t.Errorf("%d of <%s>, %d of its end", opened, tag, closed)
		}
	}
}

// TestIndex checks that an index gives the same report as the file it was made from.
func TestIndex(t *testing.T) {
	file, docs := manuals(t)
	path := filepath.Join(t.TempDir(), "x.bleve")
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	batch := x.NewBatch()
	for _, d := range docs {
		if err := batch.Index(d.ID, map[string]any{"text": d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Index("none", map[string]any{"title": "no text"}); err != nil {
		t.Fatal(err)
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	a, b := reported(t, "--widths", "3", file), reported(t, "--widths", "3", path)
	if b.Documents != len(docs)+1 || b.Unsigned != 1 {
		t.Errorf("%d documents, %d unsigned, want %d and 1", b.Documents, b.Unsigned, len(docs)+1)
	}
	b.Corpus, b.Documents, b.Unsigned = a.Corpus, a.Documents, a.Unsigned
	if x, y := fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b); x != y {
		t.Errorf("of a file:\n%s\nof an index:\n%s", x, y)
	}
}

func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	text := strings.Repeat("one two three four five six seven eight nine ten ", 1)
	file := write(t, filepath.Join(dir, "own.jsonl"),
		fmt.Sprintf("{\"id\": \"<script>alert(1)</script>\", \"text\": %q}\n{\"id\": \"b\", \"text\": %q}", text+"a <b>&", text+"eleven twelve"))
	out := filepath.Join(dir, "r.html")
	if r := reported(t, "--out", out, "--loose-lanes", "10", "--lanes", "60", file); r.Pairs != 1 {
		t.Fatalf("%d pairs, want 1", r.Pairs)
	}
	html, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(html, []byte("<script")) || !bytes.Contains(html, []byte("&lt;script&gt;")) {
		t.Error("an id is not escaped")
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--nosuch", "unknown flag: --nosuch"},
		{"--loose-lanes 91", "--loose-lanes: wanted 1 to --lanes, 90, got 91"},
		{"--loose-hamming 2", "--loose-hamming: wanted --hamming, 3, or more, got 2"},
		{"--copies 0", "--copies: wanted more than 0, and at most 1, got 0"},
		{"--different .95", "--different: wanted at most --copies, 0.9, got 0.95"},
		{"--labels a --groups b", "--labels cannot be combined with --groups"},
		{"--samples -1", "--samples: wanted 0 or more, got -1"},
		{"--html some", `--html: wanted "auto", "all" or "none", got "some"`},
		{"--widths 2,17", "--widths: wanted 1 to 16, got 17"},
		{"--presets short,long", `--presets: wanted some of "pages", "versions", "short" and "mail", got "long"`},
		{"--hamming 65", "hamming: wanted -1 to 64, got 65"},
	} {
		stdout, stderr := call(t, 2, strings.Fields(test.args)...)
		if stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: stdout %q, stderr %q, want %q in stderr", test.args, stdout, stderr, test.want)
		}
	}
	if stdout, _ := call(t, 0, "--help"); !strings.Contains(stdout, "--loose-lanes") {
		t.Errorf("--help: %s", stdout)
	}
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "own.jsonl"), `{"id": "a", "text": "..."}`)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{filepath.Join(dir, "nosuch")}, "wanted a file or a directory, got none"},
		{[]string{file}, "wanted documents with text, got none"},
	} {
		if _, stderr := call(t, 1, test.args...); !strings.Contains(stderr, test.want) {
			t.Errorf("%q: %s", test.args, stderr)
		}
	}
}

// TestDiff checks that what two texts have of their own is what was changed.
func TestDiff(t *testing.T) {
	dir := t.TempDir()
	var words []string
	for i := range 60 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	other := slices.Clone(words)
	other[20] = "Leaps"
	other = slices.Insert(other, 40, "very", "much")
	write(t, filepath.Join(dir, "a.txt"), strings.Join(words, " "))
	write(t, filepath.Join(dir, "b.txt"), strings.ToUpper(strings.Join(other, ", ")))
	r := reported(t, "--loose-lanes", "1", "--lanes", "50", "--samples", "10", dir)
	var got []string
	for _, s := range r.First {
		for _, p := range s.Pairs {
			for _, h := range p.Hunks {
				for _, c := range h {
					if c.Op != diff.Equal {
						got = append(got, string(c.Op)+" "+strings.ToLower(c.Text))
					}
				}
			}
		}
	}
	slices.Sort(got)
	// The longer text is the first.
	if want := []string{"delete leaps", "delete very much", "insert " + words[20]}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestForms reads a rule back from what is to be copied.
func TestForms(t *testing.T) {
	for _, at := range []threshold{{85, 3, 9, 0, 0}, {90, -1, 0, 0, 0}, {100, 0, 12, 0, 0}} {
		text, err := at.JSON()
		var r signature.Rule
		if err == nil {
			err = json.Unmarshal([]byte(strings.TrimPrefix(text, `"rule": `)), &r)
		}
		if err != nil || r != at.rule() {
			t.Errorf("%s: got %+v, %v, want %+v", text, r, err, at.rule())
		}
		mode := ""
		if at.Hamming < 0 {
			mode = ", Mode: signature.SketchOnly"
		}
		if _, err := parser.ParseExpr(strings.TrimPrefix(at.Go(), "Rule: ")); err != nil || !strings.HasPrefix(at.Go(), fmt.Sprintf("Rule: signature.Rule{Lanes: %d", at.Lanes)) || !strings.Contains(at.Go(), mode) {
			t.Errorf("%s: %v", at.Go(), err)
		}
	}
}

// Of pairs that are not there no share is told.
func TestNothingJudged(t *testing.T) {
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 5 {
		fmt.Fprintf(&lines, "{\"id\": \"%d\", \"text\": \"note %d of things %d that no other %d note %d has in it, %d or so\"}\n", i, i, i*7, i*11, i*13, i*17)
	}
	path := write(t, filepath.Join(dir, "own.jsonl"), lines.String())
	stdout, _ := call(t, 0, "--out", filepath.Join(dir, "page.html"), path)
	if strings.Contains(stdout, "1 (") || strings.Contains(stdout, "0 (") || !strings.Contains(stdout, "precision –, recall –") {
		t.Errorf("got\n%s", stdout)
	}
	page, err := os.ReadFile(filepath.Join(dir, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(page), "precision</th>") {
		t.Errorf("the page has precision or recall of nothing")
	}
	if data, _ := call(t, 0, "--json", path); strings.Contains(data, `"precision": {`) || strings.Contains(data, `"recall": {`) {
		t.Errorf("the JSON has precision or recall of nothing")
	}
}
