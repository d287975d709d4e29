// Package neartest helps to test signatures. It reads the corpora for tests, and
// computes in plain loops what the packages under signature compute fast. It has no
// assertions of its own; if it cannot read a corpus, it skips or fails the test.
package neartest

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	module  = "module github.com/neardup/bleve-neardup"
	dataEnv = "NEARDUP_DATA"
	dataDir = "../shared/data" // from the root of the repository
	shipped = "examples/docsearch/corpus/corpus.jsonl.gz"
)

// Doc is one document of a corpus.
type Doc struct {
	ID, Text string

	// Fields holds all members of the JSON object.
	Fields map[string]any
}

// Docs reads a shared data set, such as "mccormick-plagiarism/docs_2500.jsonl.gz". The data
// sets must not be redistributed, so a test that needs a missing one is skipped.
func Docs(tb testing.TB, set string) []Doc {
	tb.Helper()
	return FirstDocs(tb, set, math.MaxInt)
}

// FirstDocs reads the first n documents of a shared data set, or all if it has fewer.
func FirstDocs(tb testing.TB, set string, n int) []Doc {
	tb.Helper()
	return docs(tb, data(tb, set), n)
}

// Shipped reads the corpus that comes with the project, and fails if it is absent. All tests
// of a package share the Fields of its documents, and must not change them. With -short, each text ends after
// 5,000 bytes, where its word ends: texts are 15,000 on average.
func Shipped(tb testing.TB) []Doc {
	tb.Helper()
	corpus.Do(func() {
		corpus.docs = docs(tb, filepath.Join(root(tb), filepath.FromSlash(shipped)), math.MaxInt)
		for i, d := range corpus.docs {
			if begin := min(5000, len(d.Text)); testing.Short() {
				rest, _, _ := strings.Cut(d.Text[begin:], " ")
				corpus.docs[i].Text = d.Text[:begin+len(rest)]
			}
		}
	})
	return slices.Clone(corpus.docs)
}

// corpus is what Shipped has read: to read it takes half a second, and many tests do.
var corpus struct {
	sync.Once
	docs []Doc
}

// Lines calls each with the lines of a shared data set of another form, or skips the test as Docs does.
func Lines(tb testing.TB, set string, each func(line string) error) {
	tb.Helper()
	lines(tb, data(tb, set), math.MaxInt, each)
}

// data returns the path of a shared data set, or skips the test.
func data(tb testing.TB, set string) string {
	tb.Helper()
	dir := cmp.Or(os.Getenv(dataEnv), filepath.Join(root(tb), filepath.FromSlash(dataDir)))
	path := filepath.Join(dir, filepath.FromSlash(set))
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("no data set %s in %s; set %s to the directory that holds it", set, dir, dataEnv)
	}
	return path
}

// root returns the root of the repository. The examples in it are modules of their own, so
// the first go.mod on the way up need not be the right one.
func root(tb testing.TB) string {
	tb.Helper()
	here, err := os.Getwd()
	for dir := here; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if mod, _ := os.ReadFile(filepath.Join(dir, "go.mod")); strings.HasPrefix(string(mod), module+"\n") {
			return dir
		}
	}
	tb.Fatalf("no go.mod with %q in %s or above, %v", module, here, err)
	return ""
}

func docs(tb testing.TB, path string, n int) (all []Doc) {
	tb.Helper()
	lines(tb, path, n, func(line string) error {
		var d Doc
		err := json.Unmarshal([]byte(line), &d.Fields)
		d.ID, _ = d.Fields["id"].(string)
		d.Text, _ = d.Fields["text"].(string)
		all = append(all, d)
		return err
	})
	return all
}

// lines calls each with the first most lines of a gzipped file and fails the test at the
// first error.
func lines(tb testing.TB, path string, most int, each func(line string) error) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	scanner := bufio.NewScanner(unzipped)
	scanner.Buffer(nil, 64<<20)
	for n := 1; n <= most && scanner.Scan(); n++ {
		if err := each(scanner.Text()); err != nil {
			tb.Fatalf("%s:%d: %v", path, n, err)
		}
	}
	if err := scanner.Err(); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

// Sections cuts texts at blank lines into parts of size bytes or more.
func Sections(docs []Doc, size int) (parts []Doc) {
	for _, d := range docs {
		begin, n := 0, 0
		for end := 0; end < len(d.Text); {
			blank := strings.Index(d.Text[end:], "\n\n")
			if blank < 0 {
				end = len(d.Text)
			} else {
				end += blank + 2
			}
			if end-begin >= size || end == len(d.Text) {
				parts = append(parts, Doc{ID: fmt.Sprintf("%s#%d", d.ID, n), Text: d.Text[begin:end]})
				begin, n = end, n+1
			}
		}
	}
	return parts
}
