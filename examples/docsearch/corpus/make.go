//go:build ignore

// Make writes corpus.jsonl.gz, the documents of the docsearch example.
//
//	go run make.go -in docs.jsonl.gz
//
// The input is gzipped JSON lines with the fields id and text: one line for
// each file below the html/_sources folder of the Debian packages llvm-N-doc
// and clang-N-doc, N from 13 to 16. An id looks like
// "llvm/15/CommandGuide/llvm-ar.rst.txt".
package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A page is left out, with all its versions, when one of them has more than
// maxText bytes and the page is not in large.
const maxText = 100_000

// large lists the pages above maxText that are worth their size.
var large = []string{
	"clang/UsersManual.rst.txt",
	"llvm/ProgrammersManual.rst.txt",
}

// excluded lists pages under another licence than the rest (MIT).
var excluded = []string{
	"clang/Block-ABI-Apple.rst.txt",
}

// The folder llvm/AMDGPU has some 2,900 generated pages, most of them a few
// words long and all alike. One version of the pages that start like this is
// kept: they are different pages that look like near-duplicates.
const (
	generated        = "llvm/AMDGPU/"
	generatedVersion = 16
)

var generatedKeep = []string{
	"llvm/AMDGPU/gfx90a_ssrc_",
	"llvm/AMDGPU/gfx90a_vdst_",
}

// A Page is one line of the corpus.
type Page struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Version int    `json:"version"`
	Path    string `json:"path"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Text    string `json:"text"`
}

// name identifies the page in all versions.
func (p *Page) name() string { return p.Project + "/" + p.Path }

func main() {
	log.SetFlags(0)
	log.SetPrefix("make: ")
	in := flag.String("in", "", "source `file` (gzipped JSON lines)")
	out := flag.String("out", "corpus.jsonl.gz", "`file` to write")
	flag.Parse()
	if *in == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	pages, err := read(*in)
	if err != nil {
		log.Fatal(err)
	}
	pages = choose(pages)
	if err := write(*out, pages); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d pages\n", *out, len(pages))
}

func read(file string) ([]*Page, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	zr, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	var pages []*Page
	for dec := json.NewDecoder(zr); ; {
		var src struct{ ID, Text string }
		if err := dec.Decode(&src); err == io.EOF {
			return pages, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		p, err := newPage(src.ID, src.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, src.ID, err)
		}
		pages = append(pages, p)
	}
}

func newPage(id, text string) (*Page, error) {
	part := strings.SplitN(id, "/", 3)
	if len(part) != 3 {
		return nil, errors.New("id is not project/version/path")
	}
	version, err := strconv.Atoi(part[1])
	if err != nil {
		return nil, err
	}
	p := &Page{Project: part[0], Version: version, Path: part[2], Text: text}
	base := strings.TrimSuffix(p.Path, ".txt")
	base = strings.TrimSuffix(base, path.Ext(base)) // .rst or .md
	p.ID = fmt.Sprintf("%s-%d/%s", p.Project, version, base)
	docs := "docs"
	if p.Project == "clang" {
		docs = "tools/clang/docs"
	}
	p.URL = fmt.Sprintf("https://releases.llvm.org/%d.0.0/%s/%s.html", version, docs, base)
	if p.Title = title(text); p.Title == "" {
		return nil, errors.New("no heading")
	}
	return p, nil
}

// title returns the first heading of a reStructuredText or Markdown text: a
// line marked with "# ", or one that is underlined.
func title(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if t, ok := strings.CutPrefix(line, "# "); ok {
			return strings.TrimSpace(t)
		}
		t := strings.TrimSpace(line)
		if t != "" && !rule(line) && i+1 < len(lines) {
			if next := lines[i+1]; rule(next) && len(next) >= min(3, len(t)) {
				return t
			}
		}
	}
	return ""
}

// rule reports whether line is the underline or overline of a heading.
func rule(line string) bool {
	line = strings.TrimRight(line, " \r")
	return line != "" && strings.ContainsRune(`=-~*#^"`, rune(line[0])) &&
		strings.Trim(line, line[:1]) == ""
}

// choose selects the pages of the corpus and sorts them, the versions of a
// page side by side: gzip then finds most of their common text.
func choose(pages []*Page) []*Page {
	tooLarge := make(map[string]bool)
	for _, p := range pages {
		if len(p.Text) > maxText {
			tooLarge[p.name()] = true
		}
	}
	keep := func(p *Page) bool {
		name := p.name()
		if strings.HasPrefix(name, generated) {
			return p.Version == generatedVersion && slices.ContainsFunc(generatedKeep, func(prefix string) bool {
				return strings.HasPrefix(name, prefix)
			})
		}
		return !slices.Contains(excluded, name) &&
			(!tooLarge[name] || slices.Contains(large, name))
	}
	pages = slices.DeleteFunc(pages, func(p *Page) bool { return !keep(p) })
	slices.SortFunc(pages, func(a, b *Page) int {
		return cmp.Or(strings.Compare(a.name(), b.name()), cmp.Compare(a.Version, b.Version))
	})
	return pages
}

// write leaves name and time out of the gzip header, so that the same pages
// give the same bytes.
func write(file string, pages []*Page) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	zw, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(zw)
	enc.SetEscapeHTML(false)
	for _, p := range pages {
		if err := enc.Encode(p); err != nil {
			return err
		}
	}
	return zw.Close()
}
