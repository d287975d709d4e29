package pages

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
)

// Page is a document. bleve maps it by its JSON names.
type Page struct {
	ID      string  `json:"-"`
	Project string  `json:"project"`
	Version float64 `json:"version"`
	Title   string  `json:"title"`
	Text    string  `json:"text"`

	kind string // kindHTML or empty
}

// Type tells bleve which document mapping to use.
func (p Page) Type() string { return p.kind }

// source is where pages come from.
type source struct {
	origin string // see origin
	count  int
	pages  iter.Seq2[Page, error] // ends with the first error
}

// openSource opens a file of JSON lines or a directory of text files; or, if data
// is empty, the manuals.
func openSource(data string) (src source, err error) {
	if data == "" {
		src, err = lineSource("corpus.jsonl.gz", func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(corpus.Lines)), nil
		})
	} else if info, serr := os.Stat(data); serr != nil {
		return source{}, serr
	} else if info.IsDir() {
		src, err = dirSource(data)
	} else {
		src, err = lineSource(data, func() (io.ReadCloser, error) { return os.Open(data) })
	}
	src.origin = origin(data)
	return src, err
}

// origin is what an index remembers of its source.
func origin(data string) string {
	if data == "" {
		return "LLVM and Clang manuals, versions 13 to 16"
	}
	if abs, err := filepath.Abs(data); err == nil {
		return abs
	}
	return data
}

// lineSource reads JSON lines. It reads them once before, to count them.
func lineSource(name string, open func() (io.ReadCloser, error)) (source, error) {
	var s source
	for line, err := range lines(open) {
		if err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		if len(line) > 0 {
			s.count++
		}
	}
	if s.count == 0 {
		return s, fmt.Errorf("%s: wanted lines of JSON, got none", name)
	}
	s.pages = func(yield func(Page, error) bool) {
		number, seen := 0, make(map[string]int)
		for line, err := range lines(open) {
			number++
			if err == nil && len(line) == 0 {
				continue
			}
			var p Page
			if err == nil {
				p, err = decode(line)
			}
			if first, ok := seen[p.ID]; ok && err == nil {
				err = fmt.Errorf("id: wanted a new one, got %q as on line %d", p.ID, first)
			}
			if err != nil {
				yield(Page{}, fmt.Errorf("%s:%d: %w", name, number, err))
				return
			}
			seen[p.ID] = number
			if !yield(p, nil) {
				return
			}
		}
	}
	return s, nil
}

// lines yields the lines of a file, gunzipped if need be, without the space around
// them. They are of any length.
func lines(open func() (io.ReadCloser, error)) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		r := bufio.NewReader(f)
		if magic, _ := r.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
			z, err := gzip.NewReader(r)
			if err != nil {
				yield(nil, err)
				return
			}
			r = bufio.NewReader(z)
		}
		for {
			line, err := r.ReadBytes('\n')
			if err != nil && err != io.EOF {
				yield(nil, err)
				return
			}
			if len(line) > 0 && !yield(bytes.TrimSpace(line), nil) {
				return
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// decode reads a page from a JSON object.
func decode(line []byte) (Page, error) {
	var v struct {
		ID      string  `json:"id"`
		Project string  `json:"project"`
		Version float64 `json:"version"`
		Title   string  `json:"title"`
		Text    *string `json:"text"`
	}
	err := json.Unmarshal(line, &v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return Page{}, fmt.Errorf("%s: wanted a %s, got a JSON %s", wrong.Field, wrong.Type, wrong.Value)
	}
	switch {
	case err != nil:
		return Page{}, fmt.Errorf("wanted a JSON object, got %.40q: %w", line, err)
	case v.ID == "":
		return Page{}, errors.New("id: wanted a string, got none or an empty one")
	case v.Text == nil:
		return Page{}, errors.New("text: wanted a string, got none")
	}
	return Page{ID: v.ID, Project: v.Project, Version: v.Version, Title: v.Title, Text: *v.Text}, nil
}

// extensions of the files that are read from a directory.
var extensions = []string{".txt", ".md", ".rst", ".html"}

// dirSource reads the text files of a directory and of those below it, but for
// hidden ones such as .git.
func dirSource(dir string) (source, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.Type().IsRegular() && slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
			paths = append(paths, path)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: wanted files named %s, got none", dir, strings.Join(extensions, ", "))
	}
	return source{count: len(paths), pages: func(yield func(Page, error) bool) {
		for _, path := range paths {
			p, err := readFile(dir, path)
			if !yield(p, err) || err != nil {
				return
			}
		}
	}}, err
}

func readFile(dir, path string) (Page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Page{}, err
	}
	id, err := filepath.Rel(dir, path)
	if err != nil {
		return Page{}, err
	}
	p := Page{ID: filepath.ToSlash(id), Text: string(text)}
	if strings.EqualFold(filepath.Ext(path), ".html") {
		p.kind = kindHTML
	}
	return p, nil
}
