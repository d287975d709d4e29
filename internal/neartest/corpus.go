// Package neartest helps to test signatures. It reads the corpora for tests, and
// computes in plain loops what the packages under signature compute fast. It has no
// assertions of its own; if it cannot read a corpus, it skips or fails the test.
package neartest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

	// Fields holds the other members of the JSON object.
	Fields map[string]any
}

// UnmarshalJSON reads one line of a corpus.
func (d *Doc) UnmarshalJSON(line []byte) error {
	var fields map[string]any
	if err := json.Unmarshal(line, &fields); err != nil {
		return err
	}
	d.ID, _ = fields["id"].(string)
	d.Text, _ = fields["text"].(string)
	delete(fields, "id")
	delete(fields, "text")
	d.Fields = fields
	return nil
}

// Docs reads a shared data set, such as "mccormick-plagiarism/docs_2500.jsonl.gz". The data
// sets must not be redistributed, so a test that needs a missing one is skipped.
func Docs(tb testing.TB, set string) []Doc {
	tb.Helper()
	return docs(tb, data(tb, set), math.MaxInt)
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
	corpus.Lock()
	defer corpus.Unlock()
	if corpus.docs == nil {
		corpus.docs = docs(tb, filepath.Join(root(tb), filepath.FromSlash(shipped)), math.MaxInt)
		if testing.Short() {
			for i, d := range corpus.docs {
				corpus.docs[i].Text = begin(d.Text, 5000)
			}
		}
	}
	return slices.Clone(corpus.docs)
}

// begin returns the first n bytes of a text, and the rest of the word in which they end.
func begin(text string, n int) string {
	if len(text) <= n {
		return text
	}
	if end := strings.IndexByte(text[n:], ' '); end >= 0 {
		return text[:n+end]
	}
	return text
}

// corpus is what Shipped has read: to read it takes half a second, and many tests do.
var corpus struct {
	sync.Mutex
	docs []Doc
}

// Pair is two documents of a data set, with what the data set says about them.
type Pair struct {
	A, B string

	// Label is what is known of the pair, such as "plagiarism". It is "" in the natural
	// files, which only list documents that resemble each other.
	Label string

	// J is their exact resemblance over shingles of 4 words, by the tokenizer of the
	// authors of the data set. It is not our tokenizer, so our resemblance differs a
	// little.
	J float64
}

// Pairs reads the pairs of a shared data set, such as "licenses/natural_spdx_npm.tsv.gz" or
// "mccormick-plagiarism/pairs_100.j4.tsv.gz", or skips the test as Docs does.
func Pairs(tb testing.TB, set string) (pairs []Pair) {
	tb.Helper()
	lines(tb, data(tb, set), math.MaxInt, func(line string) error {
		p, err := parsePair(line)
		pairs = append(pairs, p)
		return err
	})
	return pairs
}

// parsePair reads a line: a, b, J in the natural files; a, b, label, J and more, which it
// drops, in the labelled files.
func parsePair(line string) (p Pair, err error) {
	columns := strings.Split(line, "\t")
	j := 2
	if len(columns) > 3 {
		p.Label, j = columns[2], 3
	}
	if len(columns) <= j {
		return p, fmt.Errorf("wanted 3 columns or more, got %q", line)
	}
	p.A, p.B = columns[0], columns[1]
	p.J, err = strconv.ParseFloat(columns[j], 64)
	return p, err
}

// data returns the path of a shared data set, or skips the test.
func data(tb testing.TB, set string) string {
	tb.Helper()
	dir := os.Getenv(dataEnv)
	if dir == "" {
		dir = filepath.Join(root(tb), filepath.FromSlash(dataDir))
	}
	path := filepath.Join(dir, filepath.FromSlash(set))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		tb.Skipf("no data set %s in %s; set %s to the directory that holds it", set, dir, dataEnv)
	}
	return path
}

// root returns the root of the repository. The examples in it are modules of their own, so
// the first go.mod on the way up need not be the right one.
func root(tb testing.TB) string {
	tb.Helper()
	here, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if first, _, _ := strings.Cut(string(mod), "\n"); err == nil && strings.TrimSpace(first) == module {
			return dir
		}
		if dir == filepath.Dir(dir) {
			tb.Fatalf("no go.mod with %q in %s or above", module, here)
		}
	}
}

func docs(tb testing.TB, path string, n int) (all []Doc) {
	tb.Helper()
	lines(tb, path, n, func(line string) error {
		var d Doc
		err := d.UnmarshalJSON([]byte(line)) // not by way of json.Unmarshal, which would read the line once more
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
	n := 0
	for n < most && scanner.Scan() {
		n++
		if err := each(scanner.Text()); err != nil {
			tb.Fatalf("%s:%d: %v", path, n, err)
		}
	}
	if err := scanner.Err(); err != nil {
		tb.Fatalf("%s:%d: %v", path, n, err)
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
