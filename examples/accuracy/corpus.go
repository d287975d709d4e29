package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shipped is the corpus of the example docsearch, from this folder.
const shipped = "../docsearch/corpus/corpus.jsonl.gz"

// doc is a document of a corpus.
type doc struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// labelled is a pair that belongs together, as the corpus says.
type labelled struct{ a, b, label string }

// corpus is a set of documents, with the pairs that are known of it, if any.
type corpus struct {
	name  string
	docs  []doc
	pairs []labelled
}

// corpora reads what a path holds: a file of JSON lines, or a directory of files
// named *.jsonl or *.jsonl.gz, each a corpus of its own.
func corpora(path string) (all []corpus, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	files := []string{path}
	if info.IsDir() {
		files = nil
		for _, pattern := range []string{"*.jsonl", "*.jsonl.gz"} {
			found, err := filepath.Glob(filepath.Join(path, pattern))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
		slices.Sort(files)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: wanted files named *.jsonl or *.jsonl.gz, got none", path)
	}
	for _, file := range files {
		c, err := readCorpus(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// readCorpus reads a file of JSON lines, and the file of pairs beside it:
// pairs_100.j4.tsv.gz for docs_100.jsonl.gz.
func readCorpus(file string) (corpus, error) {
	dir, base := filepath.Split(file)
	stem, _, _ := strings.Cut(base, ".jsonl")
	c := corpus{name: filepath.Base(filepath.Clean(dir)) + "/" + stem}
	in, err := open(file)
	if err != nil {
		return c, err
	}
	defer in.Close()
	for lines := json.NewDecoder(in); ; {
		var d doc
		if err := lines.Decode(&d); err == io.EOF {
			break
		} else if err != nil {
			return c, fmt.Errorf("document %d: %w", len(c.docs)+1, err)
		}
		c.docs = append(c.docs, d)
	}
	if rest, ok := strings.CutPrefix(stem, "docs"); ok {
		c.pairs, err = readPairs(filepath.Join(dir, "pairs"+rest+".j4.tsv.gz"))
	}
	return c, err
}

// readPairs reads lines of two ids and a label, and whatever follows them. A file
// that is not there has none.
func readPairs(file string) (pairs []labelled, err error) {
	in, err := open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) < 3 {
			return nil, fmt.Errorf("%s:%d: wanted 3 columns or more, got %q", file, len(pairs)+1, lines.Text())
		}
		pairs = append(pairs, labelled{columns[0], columns[1], columns[2]})
	}
	return pairs, lines.Err()
}

// open opens a file, and unzips it if need be.
func open(file string) (io.ReadCloser, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReader(f)
	var r io.Reader = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(buffered); err != nil {
			f.Close()
			return nil, err
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{r, f}, nil
}
