// Package lines is what programs in Go have in common that bench measures: they read documents as JSON
// lines, and write pairs or groups as JSON lines.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Document is one document.
type Document struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Shingles returns the different runs of four words of the text, sorted: of runs of letters, digits and marks, in
// lower case. A text of fewer words is one shingle, and a text without words has none.
func (d Document) Shingles() (all []string) {
	words := Words(d.Text)
	for i := range max(min(1, len(words)), len(words)-3) {
		all = append(all, strings.Join(words[i:min(i+4, len(words))], " "))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Words returns the words of a text.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

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

// Find finds the near-duplicates among documents, from a resemblance on.
type Find func(docs []Document, threshold float64, w Writer) error

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
	var docs []Document
	for d := json.NewDecoder(bufio.NewReaderSize(in, 1<<16)); ; {
		var doc Document
		if err := d.Decode(&doc); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("document %d: %w", len(docs)+1, err)
		}
		docs = append(docs, doc)
	}
	buffered := bufio.NewWriter(out)
	e := json.NewEncoder(buffered)
	e.SetEscapeHTML(false)
	if err := find(docs, least, Writer{e}); err != nil {
		return err
	}
	return buffered.Flush()
}
