package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mattn/go-runewidth"
)

var update = flag.Bool("update", false, "write the golden file anew")

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
	dir := filepath.Join(scratch, "index")
	var stderr bytes.Buffer
	if code := run(context.Background(), []string{"--index", dir, "--json", "x"}, new(bytes.Buffer), &stderr); code != 0 {
		log.Fatalf("indexing the manuals: exit code %d: %s", code, stderr.String())
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

// answers calls run with --json and reads what it prints.
func answers(t *testing.T, args ...string) (all []answer) {
	t.Helper()
	stdout, stderr := call(t, 0, append([]string{"--json"}, args...)...)
	if stderr != "" {
		t.Errorf("stderr with --json: %q, want nothing", stderr)
	}
	for line := range strings.Lines(stdout) {
		var a answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, a)
	}
	return all
}

func heads(a answer) (ids []string) {
	for _, g := range a.Groups {
		ids = append(ids, g.ID)
	}
	return ids
}

// TestGolden compares all that does not change from run to run.
func TestGolden(t *testing.T) {
	stdout, _ := call(t, 0, "--index", shared(t), "--json", "--size", "3", "loop vectorizer")
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				if score, ok := value.(float64); ok && key == "score" {
					v[key] = math.Round(score*100) / 100 // the last digits depend on the processor
				} else if strings.HasSuffix(key, "_ms") || key == "index_bytes" {
					delete(v, key)
				}
				strip(value)
			}
		case []any:
			for _, value := range v {
				strip(value)
			}
		}
	}
	strip(got)
	text, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	golden := filepath.Join("testdata", "loop_vectorizer.json")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("got %s\nwant %s\n(go test -update writes it anew)", text, want)
	}
}

// TestPages checks that pages follow one another, in both lists.
func TestPages(t *testing.T) {
	ask := func(size, page int) answer {
		return answers(t, "--index", shared(t), "--size", fmt.Sprint(size), "--page", fmt.Sprint(page), "address sanitizer")[0]
	}
	whole, first, second := ask(10, 1), ask(5, 1), ask(5, 2)
	if got, want := slices.Concat(heads(first), heads(second)), heads(whole); !slices.Equal(got, want) {
		t.Errorf("heads of two pages: %q, want %q", got, want)
	}
	for i, h := range slices.Concat(first.Plain, second.Plain) {
		if h != whole.Plain[i] {
			t.Errorf("plain hit %d of two pages: %v, want %v", i+1, h, whole.Plain[i])
		}
	}
	if empty := ask(10, 1000); len(empty.Plain)+len(empty.Groups) != 0 {
		t.Errorf("page 1000: %v, want no hits", empty)
	}
}

func TestRule(t *testing.T) {
	index := shared(t)
	for _, test := range []struct {
		args []string
		ok   func(c copied) bool
	}{
		{nil, func(c copied) bool { return c.Agree >= 90 || c.Hamming <= 3 }},
		{[]string{"--lanes", "97", "--hamming", "0"}, func(c copied) bool { return c.Agree >= 97 || c.Hamming == 0 }},
		{[]string{"--mode", "both"}, func(c copied) bool { return c.Agree >= 90 && c.Hamming <= 3 }},
		{[]string{"--mode", "sketch_only"}, func(c copied) bool { return c.Agree >= 90 }},
		{[]string{"--mode", "simhash_only", "--hamming", "1"}, func(c copied) bool { return c.Hamming <= 1 }},
	} {
		a := answers(t, append(test.args, "--index", index, "--size", "20", "address sanitizer")...)[0]
		if a.Hidden == 0 {
			t.Errorf("%q: nothing is hidden", test.args)
		}
		for _, g := range a.Groups {
			for _, c := range g.Copies {
				if !test.ok(c) || c.By == 0 {
					t.Errorf("%q: %s hides %s with %d lanes, Hamming distance %d, by %q", test.args, g.ID, c.ID, c.Agree, c.Hamming, c.By)
				}
			}
		}
	}
}

func TestSideBySide(t *testing.T) {
	t.Setenv("COLUMNS", "140")
	stdout, stderr := call(t, 0, "--index", shared(t), "loop vectorizer", "address sanitizer")
	for _, want := range []string{
		"Query: loop vectorizer", "Query: address sanitizer", "copy of 1 │", "hides 3\n", " │     100/100        0  exact+sketch+simhash  llvm-15/Vectorizers\n",
		"plain hits are copies.", "(medians of 21 runs)",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
	checkWidth(t, stdout, 140)
	if strings.Contains(stdout, "\x1b") {
		t.Errorf("colours where there is no terminal:\n%q", stdout)
	}
	if stderr != "" {
		t.Errorf("stderr: %q, want nothing for an index that was there", stderr)
	}
}

func TestNarrow(t *testing.T) {
	for _, width := range []int{99, 60, 30} {
		t.Setenv("COLUMNS", fmt.Sprint(width))
		stdout, _ := call(t, 0, "--index", shared(t), "--query", "loop vectorizer")
		if strings.Contains(stdout, "│") {
			t.Errorf("width %d: lists side by side:\n%s", width, stdout)
		}
		if plain, collapsed := strings.Index(stdout, "bleve's plain"), strings.Index(stdout, "collapsed, page"); width >= 60 && plain > collapsed {
			t.Errorf("width %d: the plain list at %d, the collapsed at %d", width, plain, collapsed)
		}
		checkWidth(t, stdout, width)
	}
}

// checkWidth checks the lists; the sentences around them may be longer.
func checkWidth(t *testing.T, stdout string, width int) {
	t.Helper()
	_, lists, _ := strings.Cut(stdout, "\n\nQuery: loop vectorizer\n\n")
	lists, _, _ = strings.Cut(lists, " plain hits are copies")
	for line := range strings.Lines(lists) {
		if n := runewidth.StringWidth(strings.TrimSpace(line)); n > width {
			t.Errorf("width %d: a line of %d: %s", width, n, line)
		}
	}
}

func TestNoHits(t *testing.T) {
	stdout, _ := call(t, 0, "--index", shared(t), "xyzzyx")
	if !strings.Contains(stdout, "Query: xyzzyx\n\nNo hits.\n") {
		t.Errorf("got:\n%s", stdout)
	}
}

// TestDefault runs the three queries, and checks that nothing stays behind.
func TestDefault(t *testing.T) {
	if testing.Short() {
		t.Skip("indexes the manuals once more")
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	stdout, stderr := call(t, 0)
	for _, q := range queries {
		if !strings.Contains(stdout, "Query: "+q+"\n") {
			t.Errorf("no query %q in:\n%s", q, stdout)
		}
	}
	if !strings.HasPrefix(stderr, "indexed ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("stderr: %q, want one line", stderr)
	}
	if !empty(tmp) {
		t.Error("the temporary index is still there")
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--nosuch", "unknown flag: --nosuch"},
		{"-size 0", "--size: wanted 1 or more, got 0"},
		{"-page=0", "--page: wanted 1 or more, got 0"},
		{"--size 0", "--size: wanted 1 or more, got 0"},
		{"--size ten", `invalid argument "ten"`},
		{"--page 0", "--page: wanted 1 or more, got 0"},
		{"--lanes 101", "--lanes: wanted 1 to 100, got 101"},
		{"--hamming 65", "hamming: wanted -1 to 64, got 65"},
		{"--mode none", `mode: wanted "either"`},
		{"--query=", `query: wanted words, got ""`},
	} {
		stdout, stderr := call(t, 2, strings.Fields(test.args)...)
		if stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: stdout %q, stderr %q, want %q in stderr", test.args, stdout, stderr, test.want)
		}
	}
	stdout, _ := call(t, 0, "--help")
	if !strings.Contains(stdout, "docsearch --data") || !strings.Contains(stdout, "--no-color") {
		t.Errorf("--help:\n%s", stdout)
	}
}
