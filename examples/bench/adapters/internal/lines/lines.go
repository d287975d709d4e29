// Package lines is what programs in Go have in common that bench measures: they read documents as JSON
// lines, and write pairs or groups as JSON lines.
package lines

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Document is one document.
type Document struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Text is a text as its words, in one buffer: runs of letters, digits and marks, in lower case, with a space between.
type Text struct {
	buffer []byte
	starts []int // of words
}

// Read makes t the words of a text. What it had before is overwritten.
func (t *Text) Read(text string) {
	t.buffer, t.starts = t.buffer[:0], t.starts[:0]
	within := false
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			within = false
			continue
		}
		if !within {
			if len(t.starts) > 0 {
				t.buffer = append(t.buffer, ' ')
			}
			t.starts = append(t.starts, len(t.buffer))
			within = true
		}
		t.buffer = utf8.AppendRune(t.buffer, unicode.ToLower(r))
	}
}

// Runs calls f with each run of n words, or with all of them if they are fewer, repeats and all. f must not keep what it gets.
func (t *Text) Runs(n int, f func(run []byte)) {
	ends := append(t.starts, len(t.buffer)+1)
	for i := range max(min(1, len(t.starts)), len(t.starts)-n+1) {
		f(t.buffer[ends[i] : ends[min(i+n, len(t.starts))]-1])
	}
}

// String is the words with a space between.
func (t *Text) String() string { return string(t.buffer) }

// Writer writes what was found.
type Writer struct{ out *json.Encoder }

// Pair writes that two documents are near-duplicates.
func (w Writer) Pair(a, b string) { w.write("pair", []string{a, b}) }

// Group writes that several documents are near-duplicates of each other.
func (w Writer) Group(ids []string) { w.write("group", ids) }

// write ends the program if nobody reads.
func (w Writer) write(name string, ids []string) {
	if err := w.out.Encode(map[string][]string{name: ids}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Find finds the near-duplicates among documents, all of which it takes, from a resemblance on.
type Find func(docs iter.Seq[Document], threshold float64, w Writer) error

// Run is main of a program with several ways to find. Its arguments are the name of one and the threshold.
func Run(ways map[string]Find) {
	if len(os.Args) != 3 || ways[os.Args[1]] == nil {
		fmt.Fprintf(os.Stderr, "wanted the name of a way to find and a threshold, got %q\n", os.Args[1:])
		os.Exit(2)
	}
	if err := Answer(ways[os.Args[1]], os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Answer reads documents, and writes what one way finds.
func Answer(find Find, threshold string, in io.Reader, out io.Writer) error {
	least, err := strconv.ParseFloat(threshold, 64)
	if err != nil {
		return fmt.Errorf("wanted a threshold, got %q", threshold)
	}
	n, d := 0, json.NewDecoder(bufio.NewReaderSize(in, 1<<16))
	docs := func(yield func(Document) bool) {
		for more := true; more && err == nil; n++ {
			var doc Document
			if err = d.Decode(&doc); err == nil {
				more = yield(doc)
			}
		}
	}
	buffered := bufio.NewWriter(out)
	e := json.NewEncoder(buffered)
	e.SetEscapeHTML(false)
	if wrong := find(docs, least, Writer{e}); wrong != nil || err != io.EOF {
		return cmp.Or(wrong, fmt.Errorf("document %d: %w", n, err))
	}
	return buffered.Flush()
}
