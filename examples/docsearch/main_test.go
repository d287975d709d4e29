package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/mattn/go-runewidth"

	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// scratch holds the index of the manuals that the tests share.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "docsearch-test-*"); err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// shared is the index of all manuals.
func shared(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("indexes all manuals")
	}
	return sharedOnce()
}

var sharedOnce = sync.OnceValue(func() string {
	x, err := pages.Open(context.Background(), pages.Options{Out: io.Discard})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if !x.Manuals || x.Docs != 1216 || x.Took == 0 {
		log.Fatalf("got %+v", x)
	}
	dir := filepath.Join(scratch, "index")
	if err := x.Index.(bleve.IndexCopyable).CopyTo(bleve.FileSystemDirectory(dir)); err != nil {
		log.Fatal(err)
	}
	return dir
})

// call calls run and fails the test unless it returns the wanted exit code.
func call(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(context.Background(), args, &out, &errs); got != want {
		t.Fatalf("docsearch %q: exit code %d, want %d; stderr: %s", args, got, want, errs.String())
	}
	return out.String(), errs.String()
}

// asked is an answer, and the index that gave it.
type asked struct {
	answer
	docs uint64
}

// answers asks each query of the arguments.
func answers(t *testing.T, args ...string) (all []asked) {
	t.Helper()
	o, _, err := parse(args)
	if err != nil {
		t.Fatal(err)
	}
	o.from.Out = io.Discard
	x, err := pages.Open(t.Context(), o.from)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, q := range o.queries {
		a, err := ask(t.Context(), x.Index, q, o.size)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, asked{a, x.Docs})
	}
	return all
}

// The lists stand side by side if there is room, and no line is wider than that.
func TestWidth(t *testing.T) {
	index := shared(t)
	for _, width := range []int{140, 99, 60, 30} {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		stdout, stderr := call(t, 0, "--index", index, "loop vectorizer", "xyzzyx")
		if stderr != "" || !strings.Contains(stdout, "Query: xyzzyx\n\nNo hits.\n") {
			t.Errorf("width %d: stderr %q, and\n%s", width, stderr, stdout)
		}
		wants := []string{"  3  copy of 1: ", "  1  hides 3: llvm-16/", "100        0  exact+sketch+simhash  llvm-15/Vectorizers\n", " plain hits are copies."}
		for _, want := range wants {
			if width > 60 && !strings.Contains(stdout, want) {
				t.Errorf("width %d: no %q in:\n%s", width, want, stdout)
			}
		}
		if strings.Contains(stdout, "│") != (width >= sideBySide) {
			t.Errorf("width %d: got\n%s", width, stdout)
		}
		_, lists, _ := strings.Cut(stdout, "\n\nQuery: loop vectorizer\n\n")
		lists, _, _ = strings.Cut(lists, " plain hits are copies")
		for line := range strings.Lines(lists) {
			if n := runewidth.StringWidth(strings.TrimSpace(line)); n > width {
				t.Errorf("width %d: a line of %d: %s", width, n, line)
			}
		}
	}
}

// TestDefault runs the three queries.
func TestDefault(t *testing.T) {
	stdout, stderr := call(t, 0, "--index", shared(t))
	for _, q := range queries {
		if !strings.Contains(stdout, "Query: "+q+"\n") {
			t.Errorf("no query %q in:\n%s", q, stdout)
		}
	}
	if stderr != "" {
		t.Errorf("stderr: %q, want nothing", stderr)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--nosuch", "unknown flag: --nosuch"},
		{"--size 0", "--size: wanted 1 or more, got 0"},
		{"--size ten", `invalid argument "ten"`},
		{"--data x --index y", `--data: cannot be combined with --index, got "x" and "y"`},
	} {
		stdout, stderr := call(t, 2, strings.Fields(test.args)...)
		if stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: stdout %q, stderr %q, want %q in stderr", test.args, stdout, stderr, test.want)
		}
	}
	stdout, _ := call(t, 0, "--help")
	if !strings.Contains(stdout, "docsearch --data") {
		t.Errorf("--help:\n%s", stdout)
	}
}
