package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

const corpus = "../docsearch/corpus/corpus.jsonl.gz"

// scratch holds the index of the manuals that the tests share.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "neardup-test-*"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// manuals returns the index of the manuals, which it makes on first use. Nothing may
// write to it.
func manuals(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("indexes the manuals")
	}
	return made()
}

var made = sync.OnceValue(func() string {
	dir := filepath.Join(scratch, "manuals.bleve")
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"index", dir, corpus}, nil, new(bytes.Buffer), &stderr); code != 0 {
		log.Fatalf("indexing the manuals: exit code %d: %s", code, stderr.String())
	}
	return dir
})

// call runs a command and fails the test unless it returns the wanted exit code.
func call(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	return callIn(t, want, "", args...)
}

// callIn is call with a standard input.
func callIn(t *testing.T, want int, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(context.Background(), args, strings.NewReader(stdin), &out, &errs); got != want {
		t.Fatalf("neardup %q: exit code %d, want %d; stderr: %s", args, got, want, errs.String())
	}
	return out.String(), errs.String()
}

// read runs a command with --json and reads what it prints into v.
func read(t *testing.T, want int, v any, args ...string) {
	t.Helper()
	stdout, stderr := call(t, want, append([]string{"--json"}, args...)...)
	if stderr != "" {
		t.Errorf("neardup --json %q: stderr %q, want nothing", args, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), v); err != nil {
		t.Fatalf("neardup --json %q: %v in %.300s", args, err, stdout)
	}
}

// write writes a file below a temporary directory and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// varying is what differs from run to run or from processor to processor.
var varying = regexp.MustCompile(`\(\d+\.\d+\)|[\d.]+ MB on disk`)

// TestGolden compares what the commands print about the manuals.
func TestGolden(t *testing.T) {
	index := manuals(t)
	for name, args := range map[string][]string{
		"search":  {"search", index, "loop vectorizer", "--size", "3", "--sort", "-_score,_id", "--explain", "--lanes", "97"},
		"whole":   {"search", index, "address sanitizer", "--size", "5", "--sort", "-_score,_id", "--whole", "--from", "5"},
		"similar": {"similar", index, "llvm-16/LoopTerminology", "--lanes", "80"},
		"groups":  {"groups", index, "--lanes", "60", "--min-size", "5"},
		"check":   {"check", index},
	} {
		stdout, stderr := call(t, 0, args...)
		if stderr != "" {
			t.Errorf("%s: stderr %q, want nothing", name, stderr)
		}
		golden(t, name, varying.ReplaceAllString(stdout, "~"))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s\n(go test -update writes it anew)", name, got, want)
	}
}

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ args, want string }{
		{"nosuch", `unknown command "nosuch"`},
		{"index", "wanted an index and, if not standard input, what to index, got []"},
		{"index x --nosuch", "unknown flag: --nosuch"},
		{"index x --batch 0", "--batch: wanted 1 or more, got 0"},
		{"index x --text id", `--text: wanted members other than the id, got "id"`},
		{"index x --html some", `--html: wanted "auto", "all" or "none", got "some"`},
		{`index x --signature {"width":17}`, "width: wanted"},
		{`index x --signature {"lane":64}`, "lane: wanted one of the keys"},
		{"index x --signature width", `--signature: wanted a JSON object, got "width"`},
		{"index x --signature null", `--signature: wanted a JSON object, got "null"`},
		{"search x", `wanted an index and a query, got ["x"]`},
		{"search x y --lanes many", `invalid argument "many"`},
		{"search x y --hamming 65", "hamming: wanted -1 to 64, got 65"},
		{"search x y --mode none", `mode: wanted "either"`},
		{"similar x", "needs exactly one of an id and --file, got 0"},
		{"similar x y --file z", "needs exactly one of an id and --file, got 2"},
		{"search x --collapse fold word", `--collapse: wanted drop, annotate or off, got "fold"`},
		{"compare x", `wanted two files, got ["x"]`},
		{"check x y", `wanted an index, got ["x" "y"]`},
	} {
		args := strings.Fields(test.args)
		for i, arg := range args {
			if arg == "x" {
				args[i] = filepath.Join(dir, "x")
			}
		}
		want := strings.ReplaceAll(test.want, `"x"`, strconv.Quote(filepath.Join(dir, "x")))
		stdout, stderr := call(t, 2, args...)
		if stdout != "" || !strings.Contains(stderr, want) || !strings.Contains(stderr, "--help' for usage") {
			t.Errorf("%s: stdout %q, stderr %q, want %q in stderr", test.args, stdout, stderr, want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("a wrong command line left %v", left)
	}
	for _, args := range [][]string{{"--help"}, {"help", "index"}, {"completion", "bash"}, {"compare", "--help"}} {
		if stdout, _ := call(t, 0, args...); !strings.Contains(stdout, "neardup") {
			t.Errorf("%q: got %s", args, stdout)
		}
	}
}

func TestWrongIndex(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "notes.txt", "notes")
	for _, command := range [][]string{{"search", "", "word"}, {"similar", "", "id"}, {"groups", ""}, {"check", ""}, {"backfill", "", filepath.Join(dir, "new")}} {
		for path, want := range map[string]string{
			filepath.Join(dir, "nosuch"): "wanted an index, got no such directory",
			dir:                          "wanted an index, got another directory or file, or one that may not be read",
			file:                         "wanted an index, got another directory or file, or one that may not be read",
		} {
			command[1] = path
			if _, stderr := call(t, 1, command...); !strings.Contains(stderr, want) || strings.Contains(stderr, "for usage") {
				t.Errorf("%q: stderr %q, want %q", command, stderr, want)
			}
		}
	}
	x := filepath.Join(dir, "x.bleve")
	call(t, 0, "index", x, file)
	if _, stderr := call(t, 1, "similar", x, "nosuch"); !strings.Contains(stderr, `wanted the id of a document, got "nosuch"`) {
		t.Errorf("similar to an unknown document: %q", stderr)
	}
}
