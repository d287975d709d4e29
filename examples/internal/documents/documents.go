// Package documents reads the documents that the example commands work on: from files
// of JSON lines and of CSV, from directories and files of text or HTML, from standard input, and
// from an index that stores them.
package documents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/html"
)

// Document is one document.
type Document struct {
	ID string

	// Values are its texts, in the order of Source.Text. HTML has become text.
	Values []string

	// Fields are all members of its JSON object but the id, or of a file the text.
	Fields map[string]any
}

// HTML says which texts are HTML.
type HTML string

// The ways. Their names are their values.
const (
	ByName HTML = "auto" // files named .html or .htm
	All    HTML = "all"
	None   HTML = "none"
)

// Source says how documents are read.
type Source struct {
	// ID and Text are the members of a JSON object that hold the id and the texts. An id
	// that is not UTF-8 is {"base64": "..."}. A
	// file of text has it in the first of Text.
	ID   string
	Text []string

	HTML  HTML
	Stdin io.Reader // what the path "-" stands for: JSON lines; os.Stdin if nil

	// Progress, if not nil, is called with the number of bytes read.
	Progress func(n int)
}

// extensions of the files that are read from a directory, and of those that have a document
// a line.
var (
	extensions = []string{".txt", ".md", ".rst", ".html", ".htm"}
	lineFiles  = []string{".jsonl", ".ndjson", ".json", ".csv", ".gz"}
)

// Validate returns an error that says what is wrong with s, by the names of its flags.
func (s Source) Validate() error {
	switch {
	case s.ID == "":
		return errors.New(`--id: wanted the name of a JSON member, got ""`)
	case len(s.Text) == 0 || slices.Contains(s.Text, ""):
		return fmt.Errorf("--text: wanted names of JSON members, got %q", s.Text)
	case slices.Contains(s.Text, s.ID):
		return fmt.Errorf("--text: wanted members other than the id, got %q", s.ID)
	case s.HTML != ByName && s.HTML != All && s.HTML != None:
		return fmt.Errorf("--html: wanted %q, %q or %q, got %q", ByName, All, None, s.HTML)
	}
	return nil
}

// Read yields the documents of paths, until the first error. A path is a directory, a
// file of JSON lines (named .jsonl, .ndjson, .json or .gz), CSV with a header (.csv or
// .csv.gz), another file, which is one document, or "-". No two documents have the same id.
func (s Source) Read(paths ...string) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		seen := make(map[string]string)
		s.each(paths, func(path string, d Document, err error) bool {
			if first, ok := seen[d.ID]; ok && err == nil {
				err = fmt.Errorf("%s: id: wanted a new one, got %q as in %s", path, d.ID, first)
			}
			seen[d.ID] = path
			return yield(d, err) && err == nil
		})
	}
}

// Stream is Read for more documents than memory has room for the ids of: it does not
// notice one that comes twice.
func (s Source) Stream(paths ...string) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		s.each(paths, func(_ string, d Document, err error) bool { return yield(d, err) && err == nil })
	}
}

// each calls yield with the documents of paths until it returns false.
func (s Source) each(paths []string, yield func(path string, d Document, err error) bool) {
	for _, path := range paths {
		for d, err := range s.path(path) {
			if !yield(path, d, err) {
				return
			}
		}
	}
}

func (s Source) path(path string) iter.Seq2[Document, error] {
	info, err := os.Stat(path)
	switch {
	case path == "-":
		return s.stream("standard input", cmp.Or[io.Reader](s.Stdin, os.Stdin))
	case errors.Is(err, fs.ErrNotExist):
		// With go -C, paths are not relative to the shell: say where it looked.
		if at, err := filepath.Abs(path); err == nil {
			path = at
		}
		return failed(fmt.Errorf("%s: wanted a file or a directory, got none", path))
	case err != nil:
		return failed(err)
	case info.IsDir():
		return s.dir(path)
	case slices.Contains(lineFiles, strings.ToLower(filepath.Ext(path))):
		return s.file(path)
	}
	return func(yield func(Document, error) bool) { yield(s.text(path, filepath.ToSlash(path))) }
}

func failed(err error) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) { yield(Document{}, err) }
}

// Size is how many bytes Read will read of paths, -1 if that is not known.
func Size(paths ...string) (n int64) {
	for _, path := range paths {
		err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || at != path && !read(at) {
				return err
			}
			info, err := d.Info()
			if err == nil {
				n += info.Size()
			}
			return err
		})
		if path == "-" || err != nil {
			return -1
		}
	}
	return n
}

func read(path string) bool { return slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) }

// dir yields the files of a directory and of those below it, but for hidden ones such
// as .git. Their ids are their paths from it on.
func (s Source) dir(dir string) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		found := false
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != dir && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case !d.Type().IsRegular() || !read(path):
				return nil
			}
			found = true
			id, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			doc, err := s.text(path, filepath.ToSlash(id))
			if err == nil && !yield(doc, nil) {
				return filepath.SkipAll
			}
			return err
		})
		if err == nil && !found {
			err = fmt.Errorf("%s: wanted files named %s, got none", dir, strings.Join(extensions, ", "))
		}
		if err != nil {
			yield(Document{}, err)
		}
	}
}

// text reads a file that is one document.
func (s Source) text(path, id string) (Document, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Document{}, err
	}
	if s.Progress != nil {
		s.Progress(len(data))
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		return Document{}, fmt.Errorf("%s: wanted a file of text, in UTF-8, got a binary one: byte %d is 0", path, at)
	}
	value := s.plain(path, data)
	return Document{ID: id, Values: []string{value}, Fields: map[string]any{s.Text[0]: value}}, nil
}

// plain returns data as text.
func (s Source) plain(path string, data []byte) string {
	named := strings.HasPrefix(strings.ToLower(filepath.Ext(path)), ".htm")
	if s.HTML == All || s.HTML == ByName && named {
		data = html.Text(nil, data, 0, nil)
	}
	return string(data)
}

// Whole reads one file, of whatever name, or standard input, as one document.
func (s Source) Whole(path string) (Document, error) {
	if path != "-" {
		return s.text(path, path)
	}
	data, err := io.ReadAll(cmp.Or[io.Reader](s.Stdin, os.Stdin))
	value := s.plain("", data)
	return Document{ID: path, Values: []string{value}, Fields: map[string]any{s.Text[0]: value}}, err
}

// decode reads a document from a JSON object.
func (s Source) decode(line []byte) (d Document, err error) {
	if err := json.Unmarshal(line, &d.Fields); err != nil || d.Fields == nil {
		return d, fmt.Errorf("wanted a JSON object, got %.40q", line)
	}
	var raw map[string]json.RawMessage // of which the id is not changed
	if err := json.Unmarshal(line, &raw); err != nil {
		return d, err
	}
	switch v := d.Fields[s.ID].(type) {
	case string:
		if d.ID = v; v == "" || !utf8.Valid(raw[s.ID]) {
			return d, fmt.Errorf("%s: wanted a string in UTF-8, got %.40q", s.ID, raw[s.ID])
		}
	case nil:
		return d, lacks(s.ID, "id", d.Fields)
	case float64: // ids are numbers in many databases: an integer stands for its digits
		if d.ID = string(raw[s.ID]); strings.Trim(strings.TrimPrefix(d.ID, "-"), "0123456789") != "" {
			return d, fmt.Errorf("%s: wanted a string or an integer, got %.40s", s.ID, d.ID)
		}
	default:
		return d, fmt.Errorf("%s: wanted a string or an integer, got %s", s.ID, kind(v))
	}
	delete(d.Fields, s.ID)
	for _, name := range s.Text {
		switch v := d.Fields[name].(type) {
		case nil:
		case string:
			v = s.plain("", []byte(v))
			d.Fields[name] = v
			d.Values = append(d.Values, v)
		default:
			return d, fmt.Errorf("%s: wanted a string, got %s", name, kind(v))
		}
	}
	if d.Values == nil {
		return d, lacks(strings.Join(s.Text, ", "), "text", d.Fields)
	}
	return d, nil
}

// lacks is the error that an object has no member name. It tells which members are strings, and the
// flag that names one of them.
func lacks(name, flag string, fields map[string]any) error {
	var others []string
	for _, member := range slices.Sorted(maps.Keys(fields)) {
		if _, ok := fields[member].(string); ok && len(others) < 10 {
			others = append(others, fmt.Sprintf("%.40q", member))
		}
	}
	if others == nil {
		return fmt.Errorf("%s: wanted a string, got none", name)
	}
	return fmt.Errorf("%s: wanted a string, got none; strings are %s: choose with --%s", name, strings.Join(others, ", "), flag)
}

// kind names a JSON value that is not what was wanted.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "none"
	case string:
		return "an empty one"
	case float64:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return "an array"
	}
	return "an object"
}
